//! The operators of content MathML: symbols and notation.
//!
//! The first table has the MathML elements, the second the symbol names of LaTeXML (`csymbol cd="latexml"`). Both cover
//! what LaTeXML and the 2011 corpus contain.

/// How an operator is written with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Between its arguments, with this precedence.
    Infix(u8),
    /// Before its one argument, or between several: a minus sign.
    Sign(u8),
    /// Before its arguments, which need no brackets: sums, `sin x`, `∀ x`.
    Prefix,
    /// After its argument: `n !`.
    Postfix,
    /// On both sides of its arguments.
    Around(&'static str, &'static str),
    /// A function: brackets around its arguments.
    Function,
    /// A special form, determined by the operator's name.
    Special,
}

/// Precedence; arguments of a lower precedence get brackets.
pub const SEQUENCE: u8 = 0;
pub const RELATION: u8 = 1;
pub const SUM: u8 = 2;
pub const PRODUCT: u8 = 3;
pub const SCRIPT: u8 = 4;

/// A row of the tables: the symbol that is written (empty for none) and the form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    pub symbol: &'static str,
    pub form: Form,
}

const fn operator(symbol: &'static str, form: Form) -> Operator {
    Operator { symbol, form }
}

/// The operator of an empty MathML element.
pub fn of_element(name: &str) -> Option<Operator> {
    use Form::{Around, Function, Infix, Postfix, Prefix, Sign, Special};
    Some(match name {
        "eq" => operator("=", Infix(RELATION)),
        "neq" => operator("≠", Infix(RELATION)),
        "lt" => operator("<", Infix(RELATION)),
        "gt" => operator(">", Infix(RELATION)),
        "leq" => operator("≤", Infix(RELATION)),
        "geq" => operator("≥", Infix(RELATION)),
        "equivalent" => operator("≡", Infix(RELATION)),
        "approx" => operator("≈", Infix(RELATION)),
        "factorof" => operator("|", Infix(RELATION)),
        "in" => operator("∈", Infix(RELATION)),
        "notin" => operator("∉", Infix(RELATION)),
        "subset" => operator("⊂", Infix(RELATION)),
        "prsubset" => operator("⊊", Infix(RELATION)),
        "notsubset" => operator("⊄", Infix(RELATION)),
        "notprsubset" => operator("⊊̸", Infix(RELATION)),
        "tendsto" => operator("→", Infix(RELATION)),
        "implies" => operator("⇒", Infix(RELATION)),
        "plus" => operator("+", Sign(SUM)),
        "minus" => operator("-", Sign(SUM)),
        "union" => operator("∪", Infix(SUM)),
        "setdiff" => operator("∖", Infix(SUM)),
        "intersect" => operator("∩", Infix(PRODUCT)),
        "cartesianproduct" | "vectorproduct" => operator("×", Infix(PRODUCT)),
        "outerproduct" => operator("⊗", Infix(PRODUCT)),
        "scalarproduct" => operator(".", Infix(PRODUCT)),
        "compose" => operator("∘", Infix(PRODUCT)),
        "and" => operator("∧", Infix(SUM)),
        "or" => operator("∨", Infix(SUM)),
        "xor" => operator("⊻", Infix(SUM)),
        "not" => operator("¬", Prefix),
        "forall" => operator("∀", Prefix),
        "exists" => operator("∃", Prefix),
        "sum" => operator("∑", Prefix),
        "product" => operator("∏", Prefix),
        "int" => operator("∫", Prefix),
        "limit" => operator("lim", Prefix),
        "diff" => operator("d", Prefix),
        "partialdiff" => operator("∂", Prefix),
        "grad" => operator("∇", Prefix),
        "divergence" => operator("div", Prefix),
        "curl" => operator("curl", Prefix),
        "laplacian" => operator("Δ", Prefix),
        "determinant" => operator("det", Prefix),
        "real" => operator("ℜ", Prefix),
        "imaginary" => operator("ℑ", Prefix),
        "arg" | "sin" | "cos" | "tan" | "sec" | "csc" | "cot" | "sinh" | "cosh" | "tanh" | "sech"
        | "csch" | "coth" | "arcsin" | "arccos" | "arctan" | "exp" | "ln" | "log" | "gcd" | "lcm" | "max"
        | "min" => operator(function_name(name), Prefix),
        "factorial" => operator("!", Postfix),
        "abs" | "card" => operator("", Around("|", "|")),
        "floor" => operator("", Around("⌊", "⌋")),
        "ceiling" => operator("", Around("⌈", "⌉")),
        "mean" => operator("", Around("⟨", "⟩")),
        "domain" | "codomain" | "image" | "ident" | "quotient" | "rem" | "variance" | "sdev" | "median"
        | "mode" => operator(function_name(name), Function),
        "times" | "divide" | "power" | "root" | "conjugate" | "inverse" | "transpose" | "selector" => {
            operator("", Special)
        }
        _ => return None,
    })
}

/// The symbol of a constant element, with its font as a Unicode letter (see [`crate::corpus::Font`]).
pub fn constant(name: &str) -> Option<&'static str> {
    Some(match name {
        "emptyset" => "∅",
        "infinity" => "∞",
        "pi" => "π",
        "exponentiale" => "e",
        "imaginaryi" => "i",
        "eulergamma" => "γ",
        "reals" => "ℝ",
        "integers" => "ℤ",
        "naturalnumbers" => "ℕ",
        "rationals" => "ℚ",
        "complexes" => "ℂ",
        "primes" => "ℙ",
        "true" => "true",
        "false" => "false",
        "notanumber" => "NaN",
        "ident" => "id",
        _ => return None,
    })
}

/// The operator that a `csymbol` names.
pub fn of_symbol(name: &str) -> Option<Operator> {
    use Form::{Around, Infix, Prefix, Special};
    Some(match name {
        "not-equals" => operator("≠", Infix(RELATION)),
        "less-than-or-equals" => operator("≤", Infix(RELATION)),
        "greater-than-or-equals" => operator("≥", Infix(RELATION)),
        "much-less-than" => operator("≪", Infix(RELATION)),
        "much-greater-than" => operator("≫", Infix(RELATION)),
        "less-than-or-similar-to" => operator("≲", Infix(RELATION)),
        "greater-than-or-similar-to" => operator("≳", Infix(RELATION)),
        "approximately-equals" => operator("≅", Infix(RELATION)),
        "asymptotically-equals" => operator("≃", Infix(RELATION)),
        "similar-to" => operator("∼", Infix(RELATION)),
        "not-similar-to" => operator("≁", Infix(RELATION)),
        "proportional-to" => operator("∝", Infix(RELATION)),
        "equivalent-to" | "not-equivalent-to" => {
            operator(if name.starts_with("not") { "≢" } else { "≡" }, Infix(RELATION))
        }
        "assign" => operator(":=", Infix(RELATION)),
        "maps-to" => operator("↦", Infix(RELATION)),
        "leads-to" => operator("↝", Infix(RELATION)),
        "implies" => operator("⇒", Infix(RELATION)),
        "iff" => operator("⇔", Infix(RELATION)),
        "element-of" => operator("∈", Infix(RELATION)),
        "not-element-of" => operator("∉", Infix(RELATION)),
        "contains" => operator("∋", Infix(RELATION)),
        "not-contains" => operator("∌", Infix(RELATION)),
        "subset-of" => operator("⊂", Infix(RELATION)),
        "subset-of-or-equals" => operator("⊆", Infix(RELATION)),
        "superset-of" => operator("⊃", Infix(RELATION)),
        "superset-of-or-equals" => operator("⊇", Infix(RELATION)),
        "not-subset-of" => operator("⊄", Infix(RELATION)),
        "not-subset-of-nor-equals" => operator("⊈", Infix(RELATION)),
        "not-superset-of" => operator("⊅", Infix(RELATION)),
        "subset-of-and-not-equals" => operator("⊊", Infix(RELATION)),
        "superset-of-and-not-equals" => operator("⊋", Infix(RELATION)),
        "precedes" => operator("≺", Infix(RELATION)),
        "precedes-or-equals" => operator("⪯", Infix(RELATION)),
        "succeeds" => operator("≻", Infix(RELATION)),
        "succeeds-or-equals" => operator("⪰", Infix(RELATION)),
        "divides" => operator("∣", Infix(RELATION)),
        "not-divides" => operator("∤", Infix(RELATION)),
        "parallel-to" => operator("∥", Infix(RELATION)),
        "not-parallel-to" => operator("∦", Infix(RELATION)),
        "perpendicular-to" => operator("⟂", Infix(RELATION)),
        "proves" => operator("⊢", Infix(RELATION)),
        "does-not-prove" => operator("⊬", Infix(RELATION)),
        "models" => operator("⊧", Infix(RELATION)),
        "conditional" => operator("|", Infix(RELATION)),
        "modulo" => operator("mod", Infix(RELATION)),
        "plus-or-minus" => operator("±", Form::Sign(SUM)),
        "minus-or-plus" => operator("∓", Form::Sign(SUM)),
        "direct-sum" => operator("⊕", Infix(SUM)),
        "symmetric-difference" => operator("△", Infix(SUM)),
        "square-union" => operator("⊔", Infix(SUM)),
        "square-intersection" => operator("⊓", Infix(PRODUCT)),
        "tensor-product" => operator("⊗", Infix(PRODUCT)),
        "cross-product" => operator("×", Infix(PRODUCT)),
        "semidirect-product" => operator("⋊", Infix(PRODUCT)),
        "left-normal-factor-semidirect-product" => operator("⋉", Infix(PRODUCT)),
        "wreath-product" => operator("≀", Infix(PRODUCT)),
        "join" => operator("∨", Infix(SUM)),
        "meet" => operator("∧", Infix(PRODUCT)),
        "product" => operator("∏", Prefix),
        "coproduct" => operator("∐", Prefix),
        "sum" => operator("∑", Prefix),
        "contour-integral" => operator("∮", Prefix),
        "double-integral" => operator("∬", Prefix),
        "triple-integral" => operator("∭", Prefix),
        "for-all" => operator("∀", Prefix),
        "exists" => operator("∃", Prefix),
        "not-exists" => operator("∄", Prefix),
        "gradient" => operator("∇", Prefix),
        "dimension" => operator("dim", Prefix),
        "degree" => operator("deg", Prefix),
        "kernel" => operator("ker", Prefix),
        "infimum" => operator("inf", Prefix),
        "supremum" => operator("sup", Prefix),
        "limit-supremum" => operator("lim sup", Prefix),
        "limit-infimum" => operator("lim inf", Prefix),
        "injective-limit" => operator("inj lim", Prefix),
        "projective-limit" => operator("proj lim", Prefix),
        "homomorphism" => operator("hom", Prefix),
        "norm" => operator("", Around("∥", "∥")),
        "bra" => operator("", Around("⟨", "|")),
        "ket" => operator("", Around("|", "⟩")),
        "expectation" | "inner-product" => operator("", Around("⟨", "⟩")),
        "subscript"
        | "superscript"
        | "absent"
        | "missing-subexpression"
        | "formulae-sequence"
        | "fragments"
        | "conditional-set"
        | "evaluated-at"
        | "binomial"
        | "matrix"
        | "cases"
        | "annotated"
        | "limit-from" => operator("", Special),
        _ if name.starts_with("delimited-") => operator("", Special),
        _ => return None,
    })
}

/// Functions whose symbol is their name.
fn function_name(element: &str) -> &'static str {
    const NAMES: [&str; 35] = [
        "arg", "sin", "cos", "tan", "sec", "csc", "cot", "sinh", "cosh", "tanh", "sech", "csch", "coth",
        "arcsin", "arccos", "arctan", "exp", "ln", "log", "gcd", "lcm", "max", "min", "domain", "codomain",
        "image", "ident", "quotient", "rem", "variance", "sdev", "median", "mode", "div", "curl",
    ];
    NAMES.into_iter().find(|name| *name == element).unwrap_or("")
}
