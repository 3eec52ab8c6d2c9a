//! Linearization: from a `math` element to a sequence of tokens.
//!
//! The paper converts content MathML to presentation first and then walks the presentation tree depth first. Here both
//! walks write into the same [`Emitter`]: [`presentation`] for presentation markup, [`content`] for `apply`, `ci`,
//! `csymbol` and so on, in the form of their presentation.

mod content;
mod emitter;
mod operators;
mod presentation;

pub use emitter::Emitter;

use super::{
    options::Linearization,
    tree::{NodeId, Tree},
};

/// Writes the formula of a `math` element.
pub fn linearize(tree: &Tree<'_>, math: NodeId, options: Linearization, out: &mut Emitter) {
    out.start(options);
    for child in tree.children(math) {
        presentation::walk(tree, child, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        corpus::extract::tree::Syntax,
        corpus::{Token, layout},
    };

    fn emit(markup: &str, options: Linearization) -> Emitter {
        let article = format!("<title><math>{markup}</math></title>");
        let tree = Tree::parse(&article, Syntax::Xml).unwrap();
        let math = tree.element_children(tree.elements("title").next().unwrap()).next().unwrap();
        let mut out = Emitter::default();
        linearize(&tree, math, options, &mut out);
        out
    }

    /// The linear form and the readable form of a formula.
    fn check(markup: &str, linear: &str, readable: &str) {
        let out = emit(markup, Linearization::default());
        assert_eq!(out.linear(), linear, "{markup}");
        let shown = layout::readable(out.linear().split_ascii_whitespace().map(Token::math), out.layout());
        assert_eq!(shown, readable, "{markup}");
    }

    #[test]
    fn presentation_is_read_depth_first() {
        check("<mrow><mi>a</mi><mo>=</mo><mi>b</mi></mrow>", "a = b", "a = b");
        check("<msub><mi>x</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msub>", "x n + 1", "xₙ₊₁");
        check("<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>", "x i 2", "xᵢ²");
        check("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "a + b c", "(a + b)/c");
        check("<msqrt><mi>x</mi></msqrt>", "x", "√x");
        check("<mroot><mi>x</mi><mn>3</mn></mroot>", "x 3", "x^(1/3)");
        check("<mover accent='true'><mi>x</mi><mo>^</mo></mover>", "x ^", "x\u{302}");
        check("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>", "∑ i n", "∑ᵢⁿ");
        check("<mi>f</mi><mo>\u{2061}</mo><mo>(</mo><mi>x</mi><mo>)</mo>", "f ( x )", "f(x)");
        check("<mi>x</mi><mo>)</mo><mtext>and</mtext><mi>y</mi>", "x ) and y", "x) and y");
        check("<mfrac><msup><mi>a</mi><mn>2</mn></msup><mi>b</mi></mfrac>", "a 2 b", "a²/b");
        check(
            "<mo>(</mo><mfrac linethickness='0pt'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>",
            "( n k )",
            "(n choose k)",
        );
        check("<mtext>if and only if</mtext>", "if and only if", "if and only if");
        check("<msup><mi/><mn>2</mn></msup>", "2", "²");
        check(
            "<mmultiscripts><mi>X</mi><mi>i</mi><none/><mprescripts/><mi>a</mi><none/></mmultiscripts>",
            "X i a",
            "Xᵢₐ",
        );
    }

    #[test]
    fn fonts_are_base_and_font_however_they_come() {
        for bold in ["<mi mathvariant='bold'>x</mi>", "<mi>𝐱</mi>", "<mi>&#x1D431;</mi>", "<ci>𝐱</ci>"]
        {
            check(bold, "x____bold", "𝐱");
        }
        check("<mi>ℝ</mi>", "R____double-struck", "ℝ");
        check("<mi mathvariant='script'>F</mi>", "F____script", "ℱ");
        check("<mi>𝑥</mi><mi mathvariant='italic'>y</mi><mi mathvariant='normal'>z</mi>", "x y z", "xyz");
        check("<mi>𝐆𝐋</mi>", "GL____bold", "𝐆𝐋");
        check("<mn mathvariant='italic'>1</mn><mo mathvariant='italic'>+</mo>", "1 +", "1 +");
    }

    #[test]
    fn fences_have_brackets_and_separators() {
        check("<mfenced><mi>a</mi><mi>b</mi></mfenced>", "( a , b )", "(a, b)");
        check("<mfenced open='[' close='['><mi>a</mi></mfenced>", "[ a [", "[a[");
        check("<mfenced open='' close='' separators=';'><mi>a</mi><mi>b</mi></mfenced>", "a ; b", "a; b");
    }

    #[test]
    fn annotations_never_leak() {
        check(
            "<semantics><mi>A</mi><annotation-xml encoding='MathML-Content'><ci>B</ci></annotation-xml>\
             <annotation encoding='application/x-tex'>C</annotation></semantics>",
            "A",
            "A",
        );
    }

    #[test]
    fn content_reads_as_its_presentation_would() {
        check("<apply><eq/><ci>a</ci><ci>b</ci></apply>", "a = b", "a = b");
        check("<apply><neq/><ci>a</ci><cn>0</cn></apply>", "a ≠ 0", "a ≠ 0");
        check(
            "<apply><in/><ci>x</ci><ci mathvariant='double-struck'>R</ci></apply>",
            "x ∈ R____double-struck",
            "x ∈ ℝ",
        );
        check("<apply><plus/><ci>a</ci><ci>b</ci><ci>c</ci></apply>", "a + b + c", "a + b + c");
        check("<apply><minus/><ci>a</ci></apply>", "− a", "−a");
        check(
            "<apply><times/><apply><plus/><ci>a</ci><ci>b</ci></apply><ci>c</ci></apply>",
            "( a + b ) c",
            "(a + b)c",
        );
        check("<apply><divide/><ci>a</ci><ci>b</ci></apply>", "a b", "a/b");
        check("<apply><power/><ci>a</ci><cn>2</cn></apply>", "a 2", "a²");
        check("<apply><root/><degree><cn>3</cn></degree><ci>x</ci></apply>", "x 3", "x^(1/3)");
        check("<apply><root/><ci>x</ci></apply>", "x", "√x");
        check("<apply><ci>f</ci><ci>x</ci><ci>y</ci></apply>", "f ( x , y )", "f(x, y)");
        check(
            "<apply><ci>:</ci><ci>f</ci><apply><ci>normal-→</ci><ci>X</ci><ci>Y</ci></apply></apply>",
            "f : X → Y",
            "f : X → Y",
        );
        check("<apply><csymbol cd='ambiguous'>subscript</csymbol><ci>x</ci><ci>i</ci></apply>", "x i", "xᵢ");
        check(
            "<apply><apply><csymbol cd='ambiguous'>subscript</csymbol><csymbol cd='latexml'>tensor-product</csymbol><ci>Z</ci></apply><ci>A</ci><ci>B</ci></apply>",
            "A ⊗ Z B",
            "A ⊗_Z B",
        );
        check("<apply><ci>normal-¯</ci><ci>Z</ci></apply>", "Z ¯", "Z\u{304}");
        check(
            "<apply><apply><csymbol cd='ambiguous'>subscript</csymbol><sum/><ci>i</ci></apply><ci>a</ci></apply>",
            "∑ i a",
            "∑ᵢa",
        );
        check(
            "<apply><sum/><bvar><ci>i</ci></bvar><lowlimit><cn>0</cn></lowlimit><uplimit><ci>n</ci></uplimit><ci>a</ci></apply>",
            "∑ i = 0 n a",
            "∑ᵢ₌₀ⁿa",
        );
        check(
            "<apply><int/><bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit><uplimit><cn>1</cn></uplimit><ci>f</ci></apply>",
            "∫ 0 1 f d x",
            "∫₀¹fdx",
        );
        check(
            "<apply><limit/><bvar><ci>n</ci></bvar><lowlimit><infinity/></lowlimit><ci>a</ci></apply>",
            "lim n → ∞ a",
            "lim_(n→∞) a",
        );
        check("<set><ci>a</ci><ci>b</ci></set>", "{ a , b }", "{a, b}");
        check(
            "<set><bvar><ci>x</ci></bvar><condition><apply><lt/><ci>x</ci><cn>1</cn></apply></condition></set>",
            "{ x | x < 1 }",
            "{x|x < 1}",
        );
        check("<interval closure='closed-open'><cn>0</cn><cn>1</cn></interval>", "[ 0 , 1 )", "[0, 1)");
        check("<vector><ci>a</ci><ci>b</ci></vector>", "( a , b )", "(a, b)");
        check("<list><ci>a</ci><ci>b</ci></list>", "a , b", "a, b");
        check("<apply><csymbol cd='latexml'>delimited-[]</csymbol><ci>x</ci></apply>", "[ x ]", "[x]");
        check(
            "<apply><csymbol cd='latexml'>conditional-set</csymbol><ci>x</ci><ci>P</ci></apply>",
            "{ x | P }",
            "{x|P}",
        );
        check("<apply><csymbol cd='latexml'>dimension</csymbol><ci>V</ci></apply>", "dim V", "dim V");
        check("<apply><abs/><ci>x</ci></apply>", "| x |", "|x|");
        check("<apply><factorial/><ci>n</ci></apply>", "n !", "n!");
        check("<ci><mtext>id</mtext></ci>", "id", "id");
        check(
            "<cerror><csymbol cd='ambiguous'>fragments</csymbol><ci>a</ci><ci>b</ci></cerror>",
            "a b",
            "ab",
        );
        check(
            "<apply><and/><apply><lt/><ci>a</ci><ci id='b'>b</ci></apply><apply><leq/><share href='#b'/><ci>c</ci></apply></apply>",
            "a < b ≤ c",
            "a < b ≤ c",
        );
        check(
            "<matrix><matrixrow><ci>a</ci><ci>b</ci></matrixrow><matrixrow><ci>c</ci><ci>d</ci></matrixrow></matrix>",
            "( a b c d )",
            "(a, b; c, d)",
        );
        check(
            "<piecewise><piece><cn>1</cn><ci>A</ci></piece><otherwise><cn>0</cn></otherwise></piecewise>",
            "{ 1 if A 0 otherwise",
            "{1 if A; 0 otherwise",
        );
        check("<apply><forall/><bvar><ci>x</ci></bvar><ci>P</ci></apply>", "∀ x P", "∀xP");
        check("<apply><csymbol>wobble</csymbol><ci>x</ci></apply>", "wobble ( x )", "wobble(x)");
        check("<reals/>", "R____double-struck", "ℝ");
    }

    #[test]
    fn the_reference_counts_invisible_operators_and_takes_fonts_literally() {
        let out = emit(
            "<mi>f</mi><mo>\u{2061}</mo><mi mathvariant='italic'>x</mi><mi>𝐱</mi><mfenced><mi>a</mi></mfenced>",
            Linearization::reference(),
        );
        assert_eq!(out.linear(), "f \u{2061} x____italic 𝐱 a");
    }

    #[test]
    fn structure_and_types_can_be_made_tokens() {
        let options = Linearization { structure: true, typed: true, ..Linearization::default() };
        let out = emit("<msub><mi>x</mi><mi>i</mi></msub>", options);
        assert_eq!(out.linear(), "math_TAG_msub math_x math_i");
    }
}
