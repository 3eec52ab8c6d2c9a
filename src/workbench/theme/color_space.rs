//! Color spaces: sRGB with the contrast of two colors, Oklab with their distance.
//!
//! Contrast follows the Web Content Accessibility Guidelines (WCAG 2). Distance is Euclidean in Ottosson's Oklab, which
//! is little code and orders colors much as people do; a distance of 0.02 is about the smallest that can be seen side by
//! side.

/// A color in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Returns the contrast of two colors, from 1 (equal) to 21 (black on white).
    pub fn contrast(self, other: Rgb) -> f64 {
        let (first, second) = (self.luminance(), other.luminance());
        (first.max(second) + 0.05) / (first.min(second) + 0.05)
    }

    /// Returns the relative luminance, from 0 (black) to 1 (white).
    pub fn luminance(self) -> f64 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    pub fn oklab(self) -> Oklab {
        Oklab::from_linear(self.linear())
    }

    /// Returns the linear-light channels, from 0 to 1.
    pub fn linear(self) -> [f64; 3] {
        [self.0, self.1, self.2].map(|value| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        })
    }
}

/// A color in Oklab. The two chroma axes are named after their ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Oklab {
    pub lightness: f64,
    pub green_red: f64,
    pub blue_yellow: f64,
}

impl Oklab {
    pub fn from_linear([red, green, blue]: [f64; 3]) -> Oklab {
        let long = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
        let middle = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
        let short = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
        Oklab {
            lightness: 0.210_454_255_3 * long + 0.793_617_785_0 * middle - 0.004_072_046_8 * short,
            green_red: 1.977_998_495_1 * long - 2.428_592_205_0 * middle + 0.450_593_709_9 * short,
            blue_yellow: 0.025_904_037_1 * long + 0.782_771_766_2 * middle - 0.808_675_766_0 * short,
        }
    }

    pub fn distance(self, other: Oklab) -> f64 {
        let lightness = self.lightness - other.lightness;
        let green_red = self.green_red - other.green_red;
        let blue_yellow = self.blue_yellow - other.blue_yellow;
        (lightness * lightness + green_red * green_red + blue_yellow * blue_yellow).sqrt()
    }

    /// Returns the distance from gray.
    pub fn chroma(self) -> f64 {
        self.green_red.hypot(self.blue_yellow)
    }

    /// Returns the angle between two hues, from 0 to 180 degrees.
    pub fn hue_difference(self, other: Oklab) -> f64 {
        let hue = |color: Oklab| color.blue_yellow.atan2(color.green_red).to_degrees();
        let difference = (hue(self) - hue(other)).abs();
        difference.min(360.0 - difference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_are_those_of_the_guidelines() {
        let check = |first: Rgb, second: Rgb, expected: f64| {
            let contrast = first.contrast(second);
            assert!((contrast - expected).abs() < 0.01, "{contrast}");
            assert_eq!(contrast, second.contrast(first));
        };
        check(Rgb(0, 0, 0), Rgb(255, 255, 255), 21.0);
        check(Rgb(119, 119, 119), Rgb(255, 255, 255), 4.48);
        check(Rgb(9, 9, 9), Rgb(9, 9, 9), 1.0);
    }

    #[test]
    fn white_is_light_and_without_hue() {
        let white = Rgb(255, 255, 255).oklab();
        assert!((white.lightness - 1.0).abs() < 1e-6 && white.green_red.abs() < 1e-6);
        let distance = |first: Rgb, second: Rgb| first.oklab().distance(second.oklab());
        let navy = Rgb(0, 0, 128);
        assert!(distance(navy, Rgb(0, 0, 139)) < distance(navy, Rgb(0, 0, 255)));
    }
}
