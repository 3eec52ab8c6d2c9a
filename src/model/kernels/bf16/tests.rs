use proptest::prelude::*;

use super::*;

/// A value rounded to bfloat16, ties to even.
fn rounded(value: f32) -> f64 {
    let bits = value.to_bits();
    let up = 0x7FFF + (bits >> 16 & 1);
    f64::from(f32::from_bits((bits + up) & 0xFFFF_0000))
}

fn values(count: usize, salt: usize) -> Vec<f32> {
    (0..count).map(|at| (((at + salt) * 7919 % 1009) as f32 - 504.0) / 300.0).collect()
}

fn view(values: &[f32], rows: usize, columns: usize, is_turned: bool) -> View<'_> {
    match is_turned {
        true => View::new(values, columns, rows, rows + 3).transposed(),
        false => View::new(values, rows, columns, columns + 3),
    }
}

fn at(view: View, row: usize, column: usize) -> f64 {
    rounded(view.values[row * view.row_stride + column * view.column_stride])
}

/// Every element against a sum in double precision, from a view and from the same matrix packed before.
fn check([rows, columns, inner]: [usize; 3], [is_left_turned, is_right_turned]: [bool; 2], output: Output) {
    let Some(cpu) = Avx512::detect() else {
        return eprintln!("skipped: no AVX512-BF16 here");
    };
    let (first, second) = (values((rows + 3) * (inner + 3), 1), values((inner + 3) * (columns + 3), 2));
    let left = view(&first, rows, inner, is_left_turned);
    let right = view(&second, inner, columns, is_right_turned);
    let packed = PackedRight::new(cpu, right, &[columns / 3]);
    let stride = columns + 5;
    let mut out = values(rows * stride, 3);
    let before = out.clone();
    product(cpu, ViewMut::new(&mut out, rows, columns, stride), output, 0.5, left, right.into());
    let mut again = before.clone();
    for range in [[0, columns / 3], [columns / 3, columns]] {
        let width = range[1] - range[0];
        let out = ViewMut::new(&mut again[range[0]..], rows, width, stride);
        product(cpu, out, output, 0.5, left, Right::Packed(&packed, range));
    }
    assert_eq!(out, again, "packed before, or for the product");
    for row in 0..rows {
        for column in 0..stride {
            let (found, before) =
                (f64::from(out[row * stride + column]), f64::from(before[row * stride + column]));
            if column >= columns {
                assert_eq!(found, before, "a value beside the output has changed");
                continue;
            }
            let sum: f64 = (0..inner).map(|k| at(left, row, k) * at(right, k, column)).sum();
            let expected = 0.5 * sum + if output == Output::AddedTo { before } else { 0.0 };
            let scale: f64 = (0..inner).map(|k| (at(left, row, k) * at(right, k, column)).abs()).sum();
            assert!((found - expected).abs() <= 1e-5 * (1.0 + scale), "{row} {column}: {found} {expected}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn products_equal_those_of_the_rounded_operands(
        sizes in [1usize..40, 1usize..120, 0usize..70], turned: [bool; 2], is_added: bool,
    ) {
        check(sizes, turned, if is_added { Output::AddedTo } else { Output::Replaced });
    }
}

#[test]
fn products_deeper_and_higher_than_a_block_are_right() {
    check([3, 50, DEPTH + 37], [true, false], Output::Replaced);
    check([3, 50, 2 * DEPTH], [false, true], Output::AddedTo);
    check([HEIGHT + 9, 17, 5], [false, false], Output::Replaced);
    check([HEIGHT + 9, 17, 5], [true, true], Output::AddedTo);
}

#[test]
fn a_row_does_not_depend_on_the_rows_around_it() {
    let Some(cpu) = Avx512::detect() else { return eprintln!("skipped: no AVX512-BF16 here") };
    let (left, right) = (values(30 * 64, 1), values(64 * 70, 2));
    let right = View::new(&right, 64, 70, 70);
    let rows = |range: std::ops::Range<usize>| {
        let mut out = vec![0.0; range.len() * 70];
        let target = ViewMut::new(&mut out, range.len(), 70, 70);
        product(cpu, target, Output::Replaced, 1.0, View::new(&left, 30, 64, 64).rows(range), right.into());
        out
    };
    let whole = rows(0..30);
    for row in 0..30 {
        assert_eq!(rows(row..row + 1), whole[row * 70..][..70]);
    }
}

#[test]
fn a_number_that_is_none_stays_visible() {
    let Some(cpu) = Avx512::detect() else { return eprintln!("skipped: no AVX512-BF16 here") };
    let mut out = [0.0; 4];
    let left = View::new(&[f32::NAN, 1.0, 2.0, 3.0], 2, 2, 2);
    product(
        cpu,
        ViewMut::new(&mut out, 2, 2, 2),
        Output::Replaced,
        1.0,
        left,
        View::new(&[1.0; 4], 2, 2, 2).into(),
    );
    assert!(out[0].is_nan() && out[1].is_nan() && out[2..] == [5.0, 5.0]);
}
