//! Cycling through the values of a setting.

/// The item `by` steps after the current one, wrapping around at the ends; the first item if the current one is not
/// among them. Panics if there are no items.
pub fn cycled<T: Clone + PartialEq>(items: &[T], current: &T, by: isize) -> T {
    let index = match items.iter().position(|item| item == current) {
        Some(index) => (index as isize + by).rem_euclid(items.len() as isize) as usize,
        None => 0,
    };
    items[index].clone()
}

#[cfg(test)]
mod tests {
    use super::cycled;

    #[test]
    fn the_ends_are_neighbors_and_an_unknown_value_becomes_the_first() {
        let items = [1, 2, 3];
        assert_eq!([1, 2, 3, 7].map(|item| cycled(&items, &item, 1)), [2, 3, 1, 1]);
        assert_eq!([1, 2, 3, 7].map(|item| cycled(&items, &item, -1)), [3, 1, 2, 1]);
    }
}
