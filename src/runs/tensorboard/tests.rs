//! What is written is decoded again, by a reader that knows Protocol Buffers and nothing of the writer.

use super::*;

/// The fields of a message: number, and value or bytes.
#[derive(Debug, PartialEq)]
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[0];
        *bytes = &bytes[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let mut take = |count: usize| {
            let (own, rest) = bytes.split_at(count);
            bytes = rest;
            own
        };
        let field = match key & 7 {
            1 => Field::Number(u64::from_le_bytes(take(8).try_into().unwrap())),
            5 => Field::Number(u64::from(u32::from_le_bytes(take(4).try_into().unwrap()))),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (own, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(own)
            }
            _ => Field::Number(varint(&mut bytes)),
        };
        found.push((key >> 3, field));
    }
    found
}

/// The events of a file as words.
fn events(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
    while let Some((data, after)) = record::split_first(rest) {
        rest = after;
        let (mut step, mut what) = (0, String::new());
        for field in fields(data) {
            match field {
                (2, Field::Number(number)) => step = number,
                (3, Field::Bytes(text)) => what = String::from_utf8(text.to_vec()).unwrap(),
                (5, Field::Bytes(summary)) => {
                    for (_, value) in fields(summary) {
                        let Field::Bytes(value) = value else { panic!() };
                        let value = fields(value);
                        let [(1, Field::Bytes(tag)), (2, Field::Number(bits))] = value[..] else { panic!() };
                        let number = f32::from_bits(bits as u32);
                        what += &format!("{}={number} ", String::from_utf8_lossy(tag));
                    }
                }
                (7, Field::Bytes(log)) => what = format!("start {:?}", fields(log)),
                _ => {}
            }
        }
        found.push(format!("{step}: {}", what.trim()));
    }
    assert!(rest.is_empty(), "no torn record at the end");
    found
}

fn row(step: u64) -> MetricsRow<'static> {
    let time = Timestamp::from_milliseconds(1_794_811_608_000 + step);
    MetricsRow::step(step, 0.0, time).with("loss", step as f64 / 2.0).with("gap", f64::NAN)
}

#[test]
fn what_is_written_is_read_and_a_torn_end_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let now = Timestamp::from_milliseconds(1_794_811_608_000);
    let mut writer = EventWriter::resume(folder.path(), "some host", None, now).unwrap();
    let path = writer.path().to_owned();
    assert!(path.ends_with("events.out.tfevents.1794811608.some-host"));
    (0..3).for_each(|step| writer.append(&row(step)).unwrap());
    writer.append(&MetricsRow::evaluation("dev", 300, 0.0, now).with("mrr", 0.5)).unwrap();
    drop(writer);
    let expected = [
        "0: brain.Event:2",
        "0: train/loss=0 train/gap=NaN",
        "1: train/loss=0.5 train/gap=NaN",
        "2: train/loss=1 train/gap=NaN",
        "300: dev/mrr=0.5",
    ];
    assert_eq!(events(&path), expected);

    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let later = Timestamp::from_milliseconds(now.milliseconds() + 5_000);
        drop(EventWriter::resume(folder.path(), "other", Some(1), later).unwrap());
        let found = events(&path);
        let (last, kept) = found.split_last().unwrap();
        assert_eq!(kept, &expected[..kept.len()]);
        let start = if kept.is_empty() { "0: brain.Event:2" } else { "2: start [(1, Number(1))]" };
        assert_eq!(last, start);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "one file a run");
}

#[test]
fn a_flipped_bit_ends_the_whole_part() {
    let mut bytes = Vec::new();
    ["one", "two", "three"].iter().for_each(|data| record::push(&mut bytes, data.as_bytes()));
    for at in 0..bytes.len() {
        bytes[at] ^= 4;
        assert_eq!(record::whole_length(&bytes), [0, 19, 38][(at / 19).min(2)]);
        bytes[at] ^= 4;
    }
    assert_eq!(record::whole_length(&bytes), bytes.len());
}
