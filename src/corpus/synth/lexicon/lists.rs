//! The words that generated articles are made of, the frequent ones first.

/// Things.
pub const NOUNS: &str = "
    group map space set ring module function sequence point field operator algebra manifold sheaf
    morphism graph measure matrix polynomial lattice category functor complex bundle ideal variety
    scheme curve surface metric form kernel cohomology homology extension representation process
    filtration spectrum subset action orbit quotient product limit closure basis element vector tensor
    norm estimate bound inequality equation solution domain boundary neighbourhood covering partition
    tree path cycle vertex edge colouring matching flow orbifold foliation connection curvature torsion
    geodesic diffeomorphism homeomorphism isomorphism automorphism endomorphism homomorphism embedding
    immersion submersion projection section fibration cofibration fibre resolution localisation completion
    valuation place divisor class cocycle coboundary character trace determinant eigenvalue eigenvector
    discriminant resultant derivation differential integral derivative distribution density martingale
    potential semigroup monoid groupoid quiver arrow diagram pullback pushout adjunction transformation
    equivalence relation order chain antichain poset matroid polytope cone face facet simplex nerve
    skeleton cell attachment suspension loop homotopy retraction deformation degeneration specialisation
    correspondence invariant obstruction generator presentation relator word length growth boundary
    capacity dimension depth height rank degree index genus signature multiplicity weight root reflection
    chamber building apartment crystal bracket grading involution twist braid knot link tangle framing
    surgery handle cobordism spinor current charge lagrangian hamiltonian symmetry superposition state
    observable expectation variance entropy coupling chain walk percolation renewal excursion barrier
    semimartingale kernel resolvent propagator multiplier symbol wavelet frame dictionary atom molecule
    decomposition factorisation expansion approximation interpolation quadrature discretisation iteration
    scheme residual penalty constraint optimum gradient subgradient dual relaxation cut circuit code
    codeword decoder channel automaton grammar formula theory model type ultrafilter cardinal ordinal forcing
    predicate quantifier sentence hierarchy oracle reduction instance certificate witness protocol
    ";

/// What things are like.
pub const ADJECTIVES: &str = "
    finite compact open closed smooth continuous linear bounded regular normal simple free flat local
    global abelian nilpotent solvable connected irreducible reduced proper projective affine integral
    separable perfect noetherian artinian coherent ample nef effective exact injective surjective
    faithful full additive triangulated derived stable semistable minimal maximal prime primary radical
    homogeneous symmetric alternating hermitian unitary orthogonal symplectic complex real rational
    algebraic transcendental analytic holomorphic meromorphic harmonic elliptic parabolic hyperbolic
    ergodic mixing recurrent transient stationary reversible invariant equivariant canonical natural
    universal generic special singular degenerate isolated discrete dense nowhere-dense measurable
    integrable summable convergent divergent uniform pointwise absolute conditional weak strong strict
    positive negative nonnegative definite indefinite monotone convex concave lipschitz differentiable
    planar bipartite regular sparse random typical extremal critical subcritical supercritical tight
    complete incomplete consistent decidable definable computable recursive constructible admissible
    tame wild ramified unramified inert split cuspidal automorphic modular arithmetic geometric topological
    simplicial cellular acyclic contractible orientable aspherical asymptotic infinitesimal formal graded
    filtered twisted braided monoidal cartesian closed cocomplete presentable accessible reflexive
    separated quasi-compact syntomic henselian excellent catenary unmixed equidimensional torsion-free
    divisible residual virtual amenable hyperfinite nuclear tracial modular cyclic principal diagonal
    triangular unipotent semisimple reductive parahoric compatible transversal tangential conformal spectral
    ";

/// How much, where, in what way: they stand before an adjective.
pub const ADVERBS: &str = "
    locally uniformly strongly weakly finitely strictly essentially generically totally absolutely
    almost completely geometrically formally canonically properly densely asymptotically conditionally
    pointwise naturally purely universally faithfully effectively virtually residually fibrewise
    ";

/// What things do, without an object.
pub const VERBS: &str = "
    vanishes converges splits commutes exists extends degenerates stabilises terminates follows lifts
    descends survives factors collapses persists diverges decomposes ramifies specialises
    ";

/// Beginnings of sentences in an argument.
pub const OPENINGS: &str = "
    Hence Thus Therefore Consequently Moreover Similarly Clearly Now Furthermore Conversely Finally
    Accordingly Indeed Likewise Again
    ";

/// With a noun these make another noun. Rarer words of a language are made in the same way.
pub const NOUN_PREFIXES: &str = "sub semi co pre multi hyper bi super quasi- pseudo- micro poly";

/// With an adjective these make another adjective.
pub const ADJECTIVE_PREFIXES: &str = "non- quasi- semi pre- pseudo- ultra- co- bi para hyper";

/// The beginnings, middles and ends of invented surnames; things are named after their discoverers.
pub const NAME_BEGINNINGS: &str =
    "Hal Dor Ves Kor Mar Ael Tib Rus Fen Gol Bren Zar Wel Ost Lin Pav Sig Tor Ulm Yar";
pub const NAME_MIDDLES: &str = "va re mo dan ti ro lé sko bel ni";
pub const NAME_ENDS: &str = "n rin sson ck ller dze";
