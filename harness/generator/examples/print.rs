//! Prints the program of a seed and an index as a case of the corpus: `cargo run -p warpdiff-generator --example print -- 1 42`.

fn main() -> Result<(), String> {
    let mut numbers = std::env::args()
        .skip(1)
        .map(|text| text.parse::<u64>().map_err(|error| format!("`{text}`: {error}")));
    let seed = numbers.next().unwrap_or(Ok(1))?;
    let index = numbers.next().unwrap_or(Ok(0))?;
    let specimen = warpdiff_generator::specimen(seed, index).map_err(|error| error.to_string())?;
    let title = format!("program {index} of seed {seed}");
    print!(
        "{}",
        warpdiff_generator::case::text(
            &title,
            &[],
            "An example of what the generator writes.",
            &specimen.write().launch,
            None
        )
    );
    Ok(())
}
