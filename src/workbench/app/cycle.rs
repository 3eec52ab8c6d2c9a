//! Stepping through the values of a choice.

/// The value after `current`, wrapping around; the first when `current` is not among them.
pub fn next<T: Copy + PartialEq>(current: T, all: &[T]) -> T {
    let next = all.iter().position(|value| *value == current).map_or(0, |index| index + 1);
    all[next % all.len()]
}

/// The value before `current`, wrapping around; the last when `current` is not among them.
pub fn previous<T: Copy + PartialEq>(current: T, all: &[T]) -> T {
    let index = all.iter().position(|value| *value == current).unwrap_or(0);
    all[(index + all.len() - 1) % all.len()]
}
