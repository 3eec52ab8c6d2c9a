//! The layout of Train.

use crate::workbench::app::area::Area;

/// The table and the details of the selected run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrainingLayout {
    /// The filter and the order, if they are not the usual ones.
    pub filter: Area,
    pub list_header: Area,
    pub list: Area,
    pub detail_header: Area,
    pub detail: Area,
}

/// The form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormParts {
    pub header: Area,
    pub rows: Area,
    /// The problem, the estimate and the command.
    pub foot: Area,
}

/// From this height on the details of the selected run are below the table.
const TALL: u16 = 14;

pub fn layout(area: Area, has_filter: bool) -> TrainingLayout {
    let detail_height = if area.height >= TALL { (area.height / 3).clamp(6, 14) } else { 0 };
    let (table, detail) = area.split_top(area.height - detail_height);
    let (filter, table) = table.split_top(u16::from(has_filter && table.height >= 4));
    let (list_header, list) = table.split_top(u16::from(table.height >= 2));
    let (detail_header, detail) = detail.split_top(u16::from(detail.height >= 2));
    TrainingLayout { filter, list_header, list, detail_header, detail }
}

pub fn arrange_form(area: Area) -> FormParts {
    let (header, rest) = area.split_top(u16::from(area.height >= 3));
    let foot = match rest.height {
        0..6 => rest.height / 3,
        6..14 => 4,
        _ => 6,
    };
    let (rows, foot) = rest.split_top(rest.height - foot);
    FormParts { header, rows, foot }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_inside_at_any_size() {
        for height in 0..60 {
            let area = Area::new(0, 1, 30, height);
            let form = arrange_form(area);
            assert_eq!(form.header.height + form.rows.height + form.foot.height, height);
            for table in [layout(area, false), layout(area, true)] {
                let TrainingLayout { filter, list_header, list, detail_header, detail } = table;
                let tall = [filter, list_header, list, detail_header, detail].map(|part| part.height);
                assert_eq!(tall.iter().sum::<u16>(), height);
                assert!(height == 0 || (list.height > 0 && form.rows.height > 0));
            }
        }
    }
}
