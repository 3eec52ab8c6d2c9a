//! The categories of arXiv, to show "Algebraic Geometry" for `math.AG`.
//!
//! The table holds today's 155 categories and the archives of the 1990s that were later folded into
//! them (`alg-geom` became `math.AG`): articles in MREC still carry those. An article's own spelling is
//! never changed, so the two are counted as two categories, as in the paper.

/// A category: its code and its name on arXiv.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Category {
    pub code: &'static str,
    pub name: &'static str,
}

/// Returns the name of a category, or of an archive that is used as a category (`astro-ph`, `math`).
pub fn name(code: &str) -> Option<&'static str> {
    find(ALL, code).or_else(|| find(ARCHIVES, code))
}

/// The archive of a category: the part before the full stop, which is the whole of `math-ph`.
pub fn archive(code: &str) -> &str {
    code.split_once('.').map_or(code, |(archive, _)| archive)
}

/// The name of an archive, given by its own code or by that of one of its categories.
pub fn archive_name(code: &str) -> Option<&'static str> {
    let archive = archive(code);
    find(ARCHIVES, archive).or_else(|| find(ALL, archive))
}

fn find(table: &[Category], code: &str) -> Option<&'static str> {
    table.iter().find(|category| category.code == code).map(|category| category.name)
}

const fn category(code: &'static str, name: &'static str) -> Category {
    Category { code, name }
}

/// The archives that are divided into categories.
pub const ARCHIVES: &[Category] = &[
    category("astro-ph", "Astrophysics"),
    category("cond-mat", "Condensed Matter"),
    category("cs", "Computer Science"),
    category("econ", "Economics"),
    category("eess", "Electrical Engineering and Systems Science"),
    category("math", "Mathematics"),
    category("nlin", "Nonlinear Sciences"),
    category("physics", "Physics"),
    category("q-bio", "Quantitative Biology"),
    category("q-fin", "Quantitative Finance"),
    category("stat", "Statistics"),
];

/// Every category: today's, then the discontinued archives.
pub const ALL: &[Category] = &[
    category("astro-ph.CO", "Cosmology and Nongalactic Astrophysics"),
    category("astro-ph.EP", "Earth and Planetary Astrophysics"),
    category("astro-ph.GA", "Astrophysics of Galaxies"),
    category("astro-ph.HE", "High Energy Astrophysical Phenomena"),
    category("astro-ph.IM", "Instrumentation and Methods for Astrophysics"),
    category("astro-ph.SR", "Solar and Stellar Astrophysics"),
    category("cond-mat.dis-nn", "Disordered Systems and Neural Networks"),
    category("cond-mat.mes-hall", "Mesoscale and Nanoscale Physics"),
    category("cond-mat.mtrl-sci", "Materials Science"),
    category("cond-mat.other", "Other Condensed Matter"),
    category("cond-mat.quant-gas", "Quantum Gases"),
    category("cond-mat.soft", "Soft Condensed Matter"),
    category("cond-mat.stat-mech", "Statistical Mechanics"),
    category("cond-mat.str-el", "Strongly Correlated Electrons"),
    category("cond-mat.supr-con", "Superconductivity"),
    category("cs.AI", "Artificial Intelligence"),
    category("cs.AR", "Hardware Architecture"),
    category("cs.CC", "Computational Complexity"),
    category("cs.CE", "Computational Engineering, Finance, and Science"),
    category("cs.CG", "Computational Geometry"),
    category("cs.CL", "Computation and Language"),
    category("cs.CR", "Cryptography and Security"),
    category("cs.CV", "Computer Vision and Pattern Recognition"),
    category("cs.CY", "Computers and Society"),
    category("cs.DB", "Databases"),
    category("cs.DC", "Distributed, Parallel, and Cluster Computing"),
    category("cs.DL", "Digital Libraries"),
    category("cs.DM", "Discrete Mathematics"),
    category("cs.DS", "Data Structures and Algorithms"),
    category("cs.ET", "Emerging Technologies"),
    category("cs.FL", "Formal Languages and Automata Theory"),
    category("cs.GL", "General Literature"),
    category("cs.GR", "Graphics"),
    category("cs.GT", "Computer Science and Game Theory"),
    category("cs.HC", "Human-Computer Interaction"),
    category("cs.IR", "Information Retrieval"),
    category("cs.IT", "Information Theory"),
    category("cs.LG", "Machine Learning"),
    category("cs.LO", "Logic in Computer Science"),
    category("cs.MA", "Multiagent Systems"),
    category("cs.MM", "Multimedia"),
    category("cs.MS", "Mathematical Software"),
    category("cs.NA", "Numerical Analysis"),
    category("cs.NE", "Neural and Evolutionary Computing"),
    category("cs.NI", "Networking and Internet Architecture"),
    category("cs.OH", "Other Computer Science"),
    category("cs.OS", "Operating Systems"),
    category("cs.PF", "Performance"),
    category("cs.PL", "Programming Languages"),
    category("cs.RO", "Robotics"),
    category("cs.SC", "Symbolic Computation"),
    category("cs.SD", "Sound"),
    category("cs.SE", "Software Engineering"),
    category("cs.SI", "Social and Information Networks"),
    category("cs.SY", "Systems and Control"),
    category("econ.EM", "Econometrics"),
    category("econ.GN", "General Economics"),
    category("econ.TH", "Theoretical Economics"),
    category("eess.AS", "Audio and Speech Processing"),
    category("eess.IV", "Image and Video Processing"),
    category("eess.SP", "Signal Processing"),
    category("eess.SY", "Systems and Control"),
    category("gr-qc", "General Relativity and Quantum Cosmology"),
    category("hep-ex", "High Energy Physics - Experiment"),
    category("hep-lat", "High Energy Physics - Lattice"),
    category("hep-ph", "High Energy Physics - Phenomenology"),
    category("hep-th", "High Energy Physics - Theory"),
    category("math-ph", "Mathematical Physics"),
    category("math.AC", "Commutative Algebra"),
    category("math.AG", "Algebraic Geometry"),
    category("math.AP", "Analysis of PDEs"),
    category("math.AT", "Algebraic Topology"),
    category("math.CA", "Classical Analysis and ODEs"),
    category("math.CO", "Combinatorics"),
    category("math.CT", "Category Theory"),
    category("math.CV", "Complex Variables"),
    category("math.DG", "Differential Geometry"),
    category("math.DS", "Dynamical Systems"),
    category("math.FA", "Functional Analysis"),
    category("math.GM", "General Mathematics"),
    category("math.GN", "General Topology"),
    category("math.GR", "Group Theory"),
    category("math.GT", "Geometric Topology"),
    category("math.HO", "History and Overview"),
    category("math.IT", "Information Theory"),
    category("math.KT", "K-Theory and Homology"),
    category("math.LO", "Logic"),
    category("math.MG", "Metric Geometry"),
    category("math.MP", "Mathematical Physics"),
    category("math.NA", "Numerical Analysis"),
    category("math.NT", "Number Theory"),
    category("math.OA", "Operator Algebras"),
    category("math.OC", "Optimization and Control"),
    category("math.PR", "Probability"),
    category("math.QA", "Quantum Algebra"),
    category("math.RA", "Rings and Algebras"),
    category("math.RT", "Representation Theory"),
    category("math.SG", "Symplectic Geometry"),
    category("math.SP", "Spectral Theory"),
    category("math.ST", "Statistics Theory"),
    category("nlin.AO", "Adaptation and Self-Organizing Systems"),
    category("nlin.CD", "Chaotic Dynamics"),
    category("nlin.CG", "Cellular Automata and Lattice Gases"),
    category("nlin.PS", "Pattern Formation and Solitons"),
    category("nlin.SI", "Exactly Solvable and Integrable Systems"),
    category("nucl-ex", "Nuclear Experiment"),
    category("nucl-th", "Nuclear Theory"),
    category("physics.acc-ph", "Accelerator Physics"),
    category("physics.ao-ph", "Atmospheric and Oceanic Physics"),
    category("physics.app-ph", "Applied Physics"),
    category("physics.atm-clus", "Atomic and Molecular Clusters"),
    category("physics.atom-ph", "Atomic Physics"),
    category("physics.bio-ph", "Biological Physics"),
    category("physics.chem-ph", "Chemical Physics"),
    category("physics.class-ph", "Classical Physics"),
    category("physics.comp-ph", "Computational Physics"),
    category("physics.data-an", "Data Analysis, Statistics and Probability"),
    category("physics.ed-ph", "Physics Education"),
    category("physics.flu-dyn", "Fluid Dynamics"),
    category("physics.gen-ph", "General Physics"),
    category("physics.geo-ph", "Geophysics"),
    category("physics.hist-ph", "History and Philosophy of Physics"),
    category("physics.ins-det", "Instrumentation and Detectors"),
    category("physics.med-ph", "Medical Physics"),
    category("physics.optics", "Optics"),
    category("physics.plasm-ph", "Plasma Physics"),
    category("physics.pop-ph", "Popular Physics"),
    category("physics.soc-ph", "Physics and Society"),
    category("physics.space-ph", "Space Physics"),
    category("q-bio.BM", "Biomolecules"),
    category("q-bio.CB", "Cell Behavior"),
    category("q-bio.GN", "Genomics"),
    category("q-bio.MN", "Molecular Networks"),
    category("q-bio.NC", "Neurons and Cognition"),
    category("q-bio.OT", "Other Quantitative Biology"),
    category("q-bio.PE", "Populations and Evolution"),
    category("q-bio.QM", "Quantitative Methods"),
    category("q-bio.SC", "Subcellular Processes"),
    category("q-bio.TO", "Tissues and Organs"),
    category("q-fin.CP", "Computational Finance"),
    category("q-fin.EC", "Economics"),
    category("q-fin.GN", "General Finance"),
    category("q-fin.MF", "Mathematical Finance"),
    category("q-fin.PM", "Portfolio Management"),
    category("q-fin.PR", "Pricing of Securities"),
    category("q-fin.RM", "Risk Management"),
    category("q-fin.ST", "Statistical Finance"),
    category("q-fin.TR", "Trading and Market Microstructure"),
    category("quant-ph", "Quantum Physics"),
    category("stat.AP", "Applications"),
    category("stat.CO", "Computation"),
    category("stat.ME", "Methodology"),
    category("stat.ML", "Machine Learning"),
    category("stat.OT", "Other Statistics"),
    category("stat.TH", "Statistics Theory"),
    // The archives that articles of the 1990s carry.
    category("acc-phys", "Accelerator Physics (until 1996)"),
    category("adap-org", "Adaptation, Noise, and Self-Organizing Systems (until 1999)"),
    category("alg-geom", "Algebraic Geometry (until 1997)"),
    category("ao-sci", "Atmospheric-Oceanic Sciences (until 1996)"),
    category("atom-ph", "Atomic, Molecular and Optical Physics (until 1996)"),
    category("bayes-an", "Bayesian Analysis (until 1996)"),
    category("chao-dyn", "Chaotic Dynamics (until 1999)"),
    category("chem-ph", "Chemical Physics (until 1996)"),
    category("cmp-lg", "Computation and Language (until 1998)"),
    category("comp-gas", "Cellular Automata and Lattice Gases (until 1999)"),
    category("dg-ga", "Differential Geometry (until 1997)"),
    category("funct-an", "Functional Analysis (until 1997)"),
    category("mtrl-th", "Materials Theory (until 1996)"),
    category("patt-sol", "Pattern Formation and Solitons (until 1999)"),
    category("plasm-ph", "Plasma Physics (until 1996)"),
    category("q-alg", "Quantum Algebra and Topology (until 1997)"),
    category("solv-int", "Exactly Solvable and Integrable Systems (until 1999)"),
    category("supr-con", "Superconductivity (until 1996)"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn categories_and_archives_have_names() {
        assert_eq!(name("math.AG"), Some("Algebraic Geometry"));
        assert_eq!(name("alg-geom"), Some("Algebraic Geometry (until 1997)"));
        assert_eq!(name("astro-ph"), Some("Astrophysics"));
        assert_eq!(name("math.XX"), None);
        assert_eq!(archive("math.AG"), "math");
        assert_eq!(archive("math-ph"), "math-ph");
        assert_eq!(archive_name("math.AG"), Some("Mathematics"));
        assert_eq!(archive_name("math-ph"), Some("Mathematical Physics"));
        assert_eq!(archive_name("nowhere"), None);
    }

    #[test]
    fn the_table_is_whole_and_without_doubles() {
        let codes: HashSet<_> = ALL.iter().chain(ARCHIVES).map(|category| category.code).collect();
        assert_eq!(codes.len(), ALL.len() + ARCHIVES.len());
        assert_eq!(ALL.len(), 155 + 18);
        assert!(ALL.iter().all(|category| archive_name(category.code).is_some()));
    }
}
