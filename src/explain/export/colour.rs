//! Colors of weights.

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// The two end colors: for support and for opposition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Palette {
    /// Orange and blue, as in the paper.
    #[default]
    Paper,
    /// Dark orange and purple (ColorBrewer's PuOr), which are distinguishable with every common color blindness and also
    /// differ in lightness.
    #[strum(serialize = "color-blind", serialize = "colour-blind")]
    ColorBlind,
}

impl Palette {
    pub fn supports(self) -> Colour {
        match self {
            Palette::Paper => Colour(0xff, 0x7f, 0x0e),
            Palette::ColorBlind => Colour(0xe0, 0x82, 0x14),
        }
    }

    pub fn opposes(self) -> Colour {
        match self {
            Palette::Paper => Colour(0x1f, 0x77, 0xb4),
            Palette::ColorBlind => Colour(0x54, 0x27, 0x88),
        }
    }

    /// The color of opposition, in a word. That of support is orange in both palettes.
    pub fn opposing_name(self) -> &'static str {
        match self {
            Palette::Paper => "blue",
            Palette::ColorBlind => "purple",
        }
    }

    /// Interpolates from white to an end color, for a strength from -1 to 1; `None` for 0.
    pub fn shade(self, strength: f64) -> Option<Colour> {
        if strength == 0.0 || strength.is_nan() {
            return None;
        }
        let Colour(red, green, blue) = if strength > 0.0 { self.supports() } else { self.opposes() };
        let share = strength.abs().min(1.0);
        let mixed = |end: u8| (255.0 + (f64::from(end) - 255.0) * share).round() as u8;
        Some(Colour(mixed(red), mixed(green), mixed(blue)))
    }
}

impl Colour {
    const BLACK: Colour = Colour(0, 0, 0);
    const WHITE: Colour = Colour(255, 255, 255);

    /// Six hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Black or white, whichever has the higher contrast on this color.
    pub fn ink(self) -> Colour {
        if self.contrast(Self::BLACK) >= self.contrast(Self::WHITE) { Self::BLACK } else { Self::WHITE }
    }

    /// The contrast ratio of WCAG 2.
    pub fn contrast(self, other: Colour) -> f64 {
        let (mine, others) = (self.luminance(), other.luminance());
        (mine.max(others) + 0.05) / (mine.min(others) + 0.05)
    }

    fn luminance(self) -> f64 {
        let linear = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_the_papers_and_nothing_is_white() {
        let hex = |strength| Palette::Paper.shade(strength).map(Colour::hex);
        assert_eq!(hex(1.0).as_deref(), Some("ff7f0e"));
        assert_eq!(hex(-1.0).as_deref(), Some("1f77b4"));
        assert_eq!(hex(0.5).as_deref(), Some("ffbf87"));
        assert_eq!(hex(0.0), None);
    }

    #[test]
    fn stronger_is_darker_and_every_shade_can_be_read() {
        for palette in [Palette::Paper, Palette::ColorBlind] {
            for sign in [1.0, -1.0] {
                let mut before = 1.1;
                for step in 1..=100 {
                    let shade = palette.shade(sign * f64::from(step) / 100.0).unwrap();
                    assert!(shade.luminance() < before);
                    before = shade.luminance();
                    assert!(shade.contrast(shade.ink()) >= 4.3, "{shade:?}");
                }
            }
        }
    }
}
