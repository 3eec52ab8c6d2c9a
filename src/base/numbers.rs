//! Numbers for people: digit grouping, counted nouns, durations.

use std::time::Duration;

/// `12,345`
pub fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// `1 pair`, `2 pairs`, `1,200 pairs`
pub fn counted(number: impl TryInto<u64>, noun: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{} {}", grouped(number), plural(number, noun))
}

/// The noun that follows a number: `pair` after 1, `pairs` after any other.
pub fn plural(number: impl TryInto<u64>, noun: &str) -> String {
    let ending = if number.try_into().is_ok_and(|number: u64| number == 1) { "" } else { "s" };
    format!("{noun}{ending}")
}

/// A fraction in percent, as every score is shown: `61.54`.
pub fn percent(share: f64) -> String {
    format!("{:.2}", 100.0 * share)
}

/// A number with its sign, a minus as mathematics has it: `+0.25`, `−0.25`.
pub fn signed(number: f64, digits: usize) -> String {
    format!("{number:+.digits$}").replace('-', "−")
}

/// A number, with such a minus if it is negative: `0.25`, `−0.25`.
pub fn decimal(number: f64, digits: usize) -> String {
    format!("{number:.digits$}").replace('-', "−")
}

/// The number with the fewest digits that is read as the same single-precision number: 0.1, and not 0.10000000149.
pub fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or(f64::from(number))
}

/// A size in bytes to two digits or so, in units of a thousand: `512 bytes`, `1.5 MB`, `24 GB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    let mut size = count as f64;
    let mut shown = format!("{count} {}", plural(count, "byte"));
    for unit in UNITS {
        if size < 1000.0 {
            break;
        }
        size /= 1000.0;
        shown = if size < 10.0 { format!("{size:.1} {unit}") } else { format!("{size:.0} {unit}") };
    }
    shown
}

/// A duration to two digits or so: `12 s`, `3 min`, `2 h 05`, `4 days 03 h`.
pub fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds.div_ceil(60)),
        seconds @ 3600..172_800 => format!("{} h {:02}", seconds / 3600, seconds % 3600 / 60),
        seconds => format!("{} days {:02} h", seconds / 86_400, seconds % 86_400 / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0u64, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([7u32, 1_000_000].map(grouped), ["7", "1,000,000"]);
    }

    #[test]
    fn signs_are_those_of_mathematics() {
        assert_eq!([0.5, -0.5].map(|number| signed(number, 2)), ["+0.50", "−0.50"]);
        assert_eq!([0.5, -0.5].map(|number| decimal(number, 2)), ["0.50", "−0.50"]);
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!([0, 1, 1_200].map(|number| counted(number, "pair")), ["0 pairs", "1 pair", "1,200 pairs"]);
        assert_eq!([1usize, 2].map(|number| plural(number, "run")), ["run", "runs"]);
    }

    #[test]
    fn sizes_have_a_unit() {
        let shown = [0, 1, 999, 1_000, 1_500_000, 25_000_000_000, u64::MAX].map(bytes);
        assert_eq!(shown, ["0 bytes", "1 byte", "999 bytes", "1.0 kB", "1.5 MB", "25 GB", "18 EB"]);
    }

    #[test]
    fn durations_have_two_units_at_most() {
        let shown = [0, 59, 60, 61, 3599, 7500, 172_800 + 3 * 3600]
            .map(|seconds| duration(Duration::from_secs(seconds)));
        assert_eq!(shown, ["0 s", "59 s", "1 min", "2 min", "60 min", "2 h 05", "2 days 03 h"]);
    }
}
