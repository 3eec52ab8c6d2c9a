//! LaTeX: escaped text, symbols in their fonts, rows of tables.

use super::font::Font;

/// The preamble of a document that compiles alone with any engine: what [`escape`], [`symbol`] and the articles' own TeX
/// need, and colors.
pub const PREAMBLE: &str = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage[utf8]{inputenc}\n\
    \\usepackage{amsmath,amssymb}\n\\usepackage{textcomp}\n\\usepackage{xcolor}\n\\pagestyle{empty}\n";

/// A row of a `tabular`. The cells are LaTeX.
pub fn row<Cell: AsRef<str>>(cells: impl IntoIterator<Item = Cell>) -> String {
    let cells: Vec<Cell> = cells.into_iter().collect();
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("{} \\\\\n", cells.join(" & "))
}

/// A cell, in LaTeX, across several columns.
pub fn spanning(columns: usize, alignment: char, cell: &str) -> String {
    format!("\\multicolumn{{{columns}}}{{{alignment}}}{{{cell}}}")
}

/// Running text, for any engine: a character that T1 fonts may lack is written as its code point.
pub fn escape(text: &str) -> String {
    text.chars().map(letter_in_text).collect()
}

/// A mathematical symbol in its font.
pub fn symbol(symbol: &str, font: Font) -> String {
    in_font(symbol, font).or_else(|| bold_greek(symbol, font)).unwrap_or_else(|| escape(symbol))
}

/// Latin letters and digits in a font; `None` if there are others, and for plain digits.
fn in_font(symbol: &str, font: Font) -> Option<String> {
    let has_digits = symbol.bytes().any(|byte| byte.is_ascii_digit());
    if symbol.is_empty() || !symbol.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let command = match font {
        Font::Plain | Font::Italic if has_digits => return None,
        Font::Plain | Font::Italic if symbol.len() == 1 => {
            return Some(format!("\\ensuremath{{{symbol}}}"));
        }
        Font::Plain => "mathrm",
        Font::Italic => "mathit",
        Font::Bold | Font::BoldItalic => "mathbf",
        // `\mathbb` has no digits: bold ones are what it replaces on a blackboard.
        Font::DoubleStruck if has_digits => "mathbf",
        Font::DoubleStruck => "mathbb",
        Font::Fraktur | Font::BoldFraktur => "mathfrak",
        // calligraphic fonts have no small letters
        Font::Script | Font::BoldScript if symbol.bytes().all(|byte| byte.is_ascii_uppercase()) => "mathcal",
        Font::Script | Font::BoldScript => "mathit",
        Font::SansSerif | Font::BoldSansSerif | Font::SansSerifItalic | Font::SansSerifBoldItalic => "mathsf",
        Font::Monospace => "mathtt",
    };
    Some(format!("\\ensuremath{{\\{command}{{{symbol}}}}}"))
}

/// A bold letter that is not Latin, which `\mathbf` does not have.
fn bold_greek(symbol: &str, font: Font) -> Option<String> {
    let is_bold = matches!(font, Font::Bold | Font::BoldItalic);
    let letter: char = symbol.parse().ok().filter(|letter: &char| is_bold && letter.is_alphabetic())?;
    let (_, name) = NAMES.iter().find(|(known, _)| *known == letter)?;
    Some(format!("\\ensuremath{{\\boldsymbol{{\\{name}}}}}"))
}

/// A Unicode letter that carries its font.
fn styled_letter(letter: char) -> Option<String> {
    let (base, font) = Font::split(letter);
    in_font(base.encode_utf8(&mut [0; 4]), font?)
}

fn letter_in_text(letter: char) -> String {
    let text_command = |name: &str| format!("\\text{name}{{}}");
    match letter {
        '\\' => text_command("backslash"),
        '^' => text_command("asciicircum"),
        '~' => text_command("asciitilde"),
        '<' => text_command("less"),
        '>' => text_command("greater"),
        '|' => text_command("bar"),
        '"' => text_command("quotedbl"),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{letter}"),
        '\u{2018}' | '\u{2019}' => {
            text_command(if letter == '\u{2018}' { "quoteleft" } else { "quoteright" })
        }
        '\u{201c}' | '\u{201d}' => {
            text_command(if letter == '\u{201c}' { "quotedblleft" } else { "quotedblright" })
        }
        '\u{2013}' => text_command("endash"),
        '\u{2014}' => text_command("emdash"),
        // alone in braces they make no ligatures
        '-' | '`' | '\'' | ',' | '!' | '?' => format!("{{{letter}}}"),
        ' '..='~' => letter.to_string(),
        'À'..='ÿ' if letter.is_alphabetic() => letter.to_string(),
        letter if letter.is_whitespace() => " ".to_owned(),
        letter => match NAMES.iter().find(|(known, _)| *known == letter) {
            Some((_, name)) => format!("\\ensuremath{{\\{name}}}"),
            None => styled_letter(letter).unwrap_or_else(|| format!("\\texttt{{U+{:04X}}}", letter as u32)),
        },
    }
}

/// Characters that are frequent in formulas and missing in text fonts.
const NAMES: &[(char, &str)] = &[
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "varepsilon"),
    ('ϵ', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ϑ', "vartheta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('ς', "varsigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "varphi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Υ', "Upsilon"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
    ('∈', "in"),
    ('∉', "notin"),
    ('∋', "ni"),
    ('∅', "emptyset"),
    ('⊂', "subset"),
    ('⊆', "subseteq"),
    ('⊃', "supset"),
    ('⊇', "supseteq"),
    ('∪', "cup"),
    ('∩', "cap"),
    ('∖', "setminus"),
    ('≤', "leq"),
    ('≥', "geq"),
    ('≠', "neq"),
    ('≈', "approx"),
    ('≅', "cong"),
    ('≃', "simeq"),
    ('≡', "equiv"),
    ('∼', "sim"),
    ('≪', "ll"),
    ('≫', "gg"),
    ('→', "to"),
    ('←', "leftarrow"),
    ('↔', "leftrightarrow"),
    ('⇒', "Rightarrow"),
    ('⇔', "Leftrightarrow"),
    ('↦', "mapsto"),
    ('↪', "hookrightarrow"),
    ('∀', "forall"),
    ('∃', "exists"),
    ('¬', "neg"),
    ('∧', "wedge"),
    ('∨', "vee"),
    ('⊕', "oplus"),
    ('⊗', "otimes"),
    ('×', "times"),
    ('⋅', "cdot"),
    ('·', "cdot"),
    ('∘', "circ"),
    ('±', "pm"),
    ('∓', "mp"),
    ('−', "mathbin{-}"),
    ('∗', "ast"),
    ('∑', "sum"),
    ('∏', "prod"),
    ('∫', "int"),
    ('∂', "partial"),
    ('∇', "nabla"),
    ('∞', "infty"),
    ('√', "surd"),
    ('∥', "Vert"),
    ('⟨', "langle"),
    ('⟩', "rangle"),
    ('…', "ldots"),
    ('ℓ', "ell"),
    ('′', "prime"),
    ('∎', "blacksquare"),
    ('□', "square"),
    ('∙', "bullet"),
    ('•', "bullet"),
    ('⟶', "longrightarrow"),
    ('⟵', "longleftarrow"),
    ('⟼', "longmapsto"),
    ('⇐', "Leftarrow"),
    ('↑', "uparrow"),
    ('↓', "downarrow"),
    ('↝', "rightsquigarrow"),
    ('↠', "twoheadrightarrow"),
    ('↣', "rightarrowtail"),
    ('⨁', "bigoplus"),
    ('⨂', "bigotimes"),
    ('⋃', "bigcup"),
    ('⋂', "bigcap"),
    ('⨆', "bigsqcup"),
    ('⋁', "bigvee"),
    ('⋀', "bigwedge"),
    ('∐', "coprod"),
    ('∮', "oint"),
    ('∣', "mid"),
    ('∤', "nmid"),
    ('‖', "Vert"),
    ('⋯', "cdots"),
    ('⋆', "star"),
    ('♯', "sharp"),
    ('≔', "mathrel{:=}"),
    ('⊄', "not\\subset"),
    ('⊊', "subsetneq"),
    ('⊠', "boxtimes"),
    ('⋊', "rtimes"),
    ('⋉', "ltimes"),
    ('⊥', "perp"),
    ('⟂', "perp"),
    ('⊤', "top"),
    ('⊢', "vdash"),
    ('⊨', "models"),
    ('∝', "propto"),
    ('≲', "lesssim"),
    ('≳', "gtrsim"),
    ('≺', "prec"),
    ('≻', "succ"),
    ('⪯', "preceq"),
    ('⪰', "succeq"),
    ('∠', "angle"),
    ('⌊', "lfloor"),
    ('⌋', "rfloor"),
    ('⌈', "lceil"),
    ('⌉', "rceil"),
    ('ℵ', "aleph"),
    ('ℏ', "hbar"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_and_symbols_keep_their_font() {
        assert_eq!(row(["a", "b"]), "a & b \\\\\n");
        assert_eq!(row([spanning(2, 'l', &escape("50%"))]), "\\multicolumn{2}{l}{50\\%} \\\\\n");
        assert_eq!(symbol("R", Font::DoubleStruck), "\\ensuremath{\\mathbb{R}}");
        assert_eq!(symbol("∈", Font::Plain), "\\ensuremath{\\in}");
        assert_eq!(symbol("1", Font::Bold), "\\ensuremath{\\mathbf{1}}");
        assert_eq!(symbol("10", Font::SansSerif), "\\ensuremath{\\mathsf{10}}");
        assert_eq!(symbol("1", Font::DoubleStruck), "\\ensuremath{\\mathbf{1}}");
        assert_eq!(symbol("1", Font::Plain), "1");
        assert_eq!(symbol("β", Font::Bold), "\\ensuremath{\\boldsymbol{\\beta}}");
        assert_eq!(escape("𝟏"), "\\ensuremath{\\mathbf{1}}");
    }
}
