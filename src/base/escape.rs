//! Text that stays text, whatever it holds.
//!
//! Three things could go wrong with a token from an article: it could be read as markup; it could hold a
//! character that the format forbids; it could turn the reading direction of everything after it. The first is
//! escaped, the other two become U+FFFD.

use crate::corpus::{Font, Token};

/// Text inside an element or a quoted attribute of HTML or XML.
pub fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter if is_unsafe(letter) => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// Text inside LaTeX's running text, for any engine: what T1 fonts may lack is named by its number.
pub fn latex(text: &str) -> String {
    text.chars().map(latex_letter).collect()
}

/// A mathematical token in LaTeX, with its font.
pub fn latex_symbol(written: &str) -> String {
    let (symbol, font) = match Token::math(written) {
        Token::Math { symbol, font } => (symbol, font),
        Token::Text(word) => (word, Font::Plain),
    };
    in_font(symbol, font).unwrap_or_else(|| latex(symbol))
}

/// Latin letters in a font; none if there are others.
fn in_font(symbol: &str, font: Font) -> Option<String> {
    if symbol.is_empty() || !symbol.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return None;
    }
    let command = match font {
        Font::Plain | Font::Italic if symbol.len() == 1 => {
            return Some(format!("\\ensuremath{{{symbol}}}"));
        }
        Font::Plain => "mathrm",
        Font::Italic => "mathit",
        Font::Bold | Font::BoldItalic => "mathbf",
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

/// A Unicode letter that has its font already.
fn styled_letter(letter: char) -> Option<String> {
    let (base, font) = Font::split(letter);
    in_font(base.encode_utf8(&mut [0; 4]), font?)
}

fn latex_letter(letter: char) -> String {
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
        letter => match LATEX_NAMES.iter().find(|(known, _)| *known == letter) {
            Some((_, name)) => format!("\\ensuremath{{\\{name}}}"),
            None => styled_letter(letter).unwrap_or_else(|| format!("\\texttt{{U+{:04X}}}", letter as u32)),
        },
    }
}

/// Control characters, what XML forbids, and what changes the reading direction.
fn is_unsafe(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(letter as u32 & 0xffff, 0xfffe | 0xffff)
        || matches!(letter, '\u{fdd0}'..='\u{fdef}')
}

/// What formulas often hold and fonts for text do not.
const LATEX_NAMES: &[(char, &str)] = &[
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
    ('−', "mathord{-}"),
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
