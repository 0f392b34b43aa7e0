//! Generated programs of SPA 5.0.

use warpdiff_generator::spa_specimen;
use warpdiff_generator::specimen::Class;

#[test]
fn specimens_have_words_only() {
    for index in 0..500 {
        let specimen = spa_specimen(7, index).expect("a specimen");
        let inputs = specimen.inputs.iter().map(|input| input.register);
        let results = specimen.steps.iter().flat_map(|step| step.results.iter().copied());
        assert!(inputs.chain(results).all(|register| register.class != Class::B16));
    }
}
