//! The choices: what the specification leaves open, with the alternatives.

use maud::html;
use warpdiff_model::Choice;

use super::{file_names, frame};
use crate::contents::Contents;

pub(super) fn page(book: &Contents<'_>) -> String {
    let body = html! {
        p.facts {
            "Points that the specification leaves open. What is allowed is computed under every alternative; a target may take any, and "
            code { "warpdiff characterize" } " finds out which it takes."
        }
        (frame::filter("choices"))
        @for choice in Choice::ALL {
            article.requirement id=(choice.name) aria-labelledby={ "title-" (choice.name) }
                data-find={ (choice.name) " " (choice.question.to_lowercase()) " " (choice.requirement) } {
                h2 id={ "title-" (choice.name) } { a.anchor href={ "#" (choice.name) } { (choice.name) } }
                p.sentence { (frame::prose(choice.question)) }
                dl.hangs {
                    dt { "Alternatives" }
                    @for alternative in choice.alternatives { dd { code { (alternative) } } }
                    dt { "Opened by" }
                    dd { (frame::requirement(book, choice.requirement)) }
                    @if let Some(experiment) = choice.experiment { dt { "Experiment" } dd { (experiment) " in " code { "cases/experiments/README.md" } } }
                }
            }
        }
    };
    frame::page("Choices", file_names::CHOICES, &body)
}
