//! Operators as LaTeXML writes them, in presentation, content and TeX; the frequent ones come first.

/// How an operator is named in content MathML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An element of its own: `<plus/>`.
    Element(&'static str),
    /// `<csymbol cd="latexml">tensor-product</csymbol>`
    Latexml(&'static str),
    /// LaTeXML knows no meaning and repeats the sign: `<ci>⋊</ci>`.
    Sign,
}

/// A sign between two expressions, or before one.
#[derive(Debug, PartialEq, Eq)]
pub struct Operator {
    pub shown: &'static str,
    /// Attributes of `mo`, with a space before each.
    pub attributes: &'static str,
    pub meaning: Meaning,
    pub tex: &'static str,
}

const fn operator(
    shown: &'static str,
    attributes: &'static str,
    meaning: Meaning,
    tex: &'static str,
) -> Operator {
    Operator { shown, attributes, meaning, tex }
}

use Meaning::{Element, Latexml, Sign};

const WIDE: &str = " lspace=\"0.222em\" rspace=\"0.222em\"";

/// Between numbers and elements.
pub const ARITHMETIC: [Operator; 4] = [
    operator("+", "", Element("plus"), "+"),
    operator("−", "", Element("minus"), "-"),
    operator("⋅", WIDE, Sign, "\\cdot"),
    operator("∘", WIDE, Element("compose"), "\\circ"),
];

/// Between objects.
pub const CONSTRUCTIONS: [Operator; 7] = [
    operator("×", WIDE, Element("times"), "\\times"),
    operator("⊗", WIDE, Latexml("tensor-product"), "\\otimes"),
    operator("⊕", "", Latexml("direct-sum"), "\\oplus"),
    operator("∩", "", Element("intersect"), "\\cap"),
    operator("∪", "", Element("union"), "\\cup"),
    operator("/", "", Element("divide"), "/"),
    operator("⋊", WIDE, Sign, "\\rtimes"),
];

/// Between numbers and elements.
pub const EQUALITIES: [Operator; 6] = [
    operator("=", "", Element("eq"), "="),
    operator("=", "", Element("eq"), "="),
    operator("≤", "", Element("leq"), "\\leq"),
    operator("&lt;", "", Element("lt"), "&lt;"),
    operator("≠", "", Element("neq"), "\\neq"),
    operator("≥", "", Element("geq"), "\\geq"),
];

/// Between objects.
pub const COMPARISONS: [Operator; 4] = [
    operator("⊂", "", Element("subset"), "\\subset"),
    operator("⊆", "", Element("subset"), "\\subseteq"),
    operator("≅", "", Element("approx"), "\\cong"),
    operator("=", "", Element("eq"), "="),
];

pub const MEMBER: Operator = operator("∈", "", Element("in"), "\\in");
pub const ARROW: Operator = operator("→", " stretchy=\"false\"", Sign, "\\to");

/// Signs with a range below and above.
pub const SUMS: [Operator; 4] = [
    operator("∑", "", Element("sum"), "\\sum"),
    operator("∏", "", Latexml("product"), "\\prod"),
    operator("⋃", "", Element("union"), "\\bigcup"),
    operator("⨁", "", Latexml("direct-sum"), "\\bigoplus"),
];

/// Names of several letters.
pub const NAMES: [Operator; 10] = [
    operator("dim", "", Latexml("dimension"), "\\dim"),
    operator("deg", "", Latexml("degree"), "\\deg"),
    operator("ker", "", Latexml("kernel"), "\\ker"),
    operator("Hom", "", Sign, "\\operatorname{Hom}"),
    operator("Ext", "", Sign, "\\operatorname{Ext}"),
    operator("rank", "", Sign, "\\operatorname{rank}"),
    operator("det", "", Element("determinant"), "\\det"),
    operator("log", "", Element("log"), "\\log"),
    operator("exp", "", Element("exp"), "\\exp"),
    operator("supp", "", Sign, "\\operatorname{supp}"),
];

/// Signs above a letter.
pub const ACCENTS: [Operator; 3] =
    [operator("~", "", Sign, "\\tilde"), operator("^", "", Sign, "\\hat"), operator("¯", "", Sign, "\\bar")];
