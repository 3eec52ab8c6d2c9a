//! Whole numbers in text.

/// Appends a number. Ids are half of an article's bytes, and this is several times faster than formatting.
pub fn push_number(out: &mut String, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend(digits[start..].iter().map(|&digit| char::from(digit)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_reads_as_it_is(number: u64) {
            let mut text = String::new();
            push_number(&mut text, number);
            prop_assert_eq!(text, number.to_string());
        }
    }
}
