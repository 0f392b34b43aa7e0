//! How the text of a program maps back to the files of the corpus.

use std::ops::Range;
use std::sync::Arc;

use crate::location::{Location, SourceFile};
use crate::row::SmallRange;

/// The byte ranges of a program that were copied from files of the corpus, each with where it was copied from. After matrix substitution that
/// is the whole scalar when offsets can no longer be mapped.
#[derive(Debug, Default)]
pub struct ProgramMap {
    /// Ascending. A corpus has several hundred thousand of them, so they are small.
    pieces: Box<[Piece]>,
}

#[derive(Debug)]
struct Piece {
    range: SmallRange,
    file: Arc<SourceFile>,
    place: SmallRange,
}

impl ProgramMap {
    /// Whether the harness wrote the whole program.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The ranges of the program that were copied, ascending.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.pieces.iter().map(|piece| piece.range.bytes())
    }

    /// Whether the byte at `offset` was copied.
    pub fn has(&self, offset: usize) -> bool {
        let at = self.pieces.partition_point(|piece| piece.range.bytes().end <= offset);
        self.pieces.get(at).is_some_and(|piece| piece.range.bytes().contains(&offset))
    }

    /// The map of the program with `offset` more bytes in front of it.
    pub(crate) fn moved(&self, offset: usize) -> Self {
        let moved = |piece: &Piece| {
            let range = piece.range.bytes();
            (range.start + offset..range.end + offset, piece.source())
        };
        self.pieces.iter().map(moved).collect()
    }

    /// The place in the corpus of a range of the program: from its first to its last byte that were copied from there.
    /// `None` where the harness wrote all of it.
    pub fn locate(&self, range: &Range<usize>) -> Option<Location> {
        let end = range.end.max(range.start + 1);
        let at = self.pieces.partition_point(|piece| piece.range.bytes().end <= range.start);
        let mut touched = self.pieces[at..].iter().take_while(|piece| piece.range.bytes().start < end);
        let mut place = touched.next()?.part(range);
        for piece in touched.filter(|piece| Arc::ptr_eq(&piece.file, &place.file)) {
            place.range.end = place.range.end.max(piece.part(range).range.end);
        }
        Some(place)
    }
}

/// Ascending ranges of a program, each with where it was copied from.
impl FromIterator<(Range<usize>, Location)> for ProgramMap {
    fn from_iter<T: IntoIterator<Item = (Range<usize>, Location)>>(pieces: T) -> Self {
        let piece = |(range, source): (Range<usize>, Location)| Piece {
            range: SmallRange::of(&range),
            file: source.file,
            place: SmallRange::of(&source.range),
        };
        Self { pieces: pieces.into_iter().map(piece).collect() }
    }
}

impl Piece {
    fn source(&self) -> Location {
        Location { file: Arc::clone(&self.file), range: self.place.bytes() }
    }

    /// What the part of `range` within it was copied from.
    fn part(&self, range: &Range<usize>) -> Location {
        let (piece, source) = (self.range.bytes(), self.source());
        if piece.len() != source.range.len() {
            return source;
        }
        let start = range.start.max(piece.start) - piece.start;
        let end = range.end.clamp(piece.start + start, piece.end) - piece.start;
        let base = source.range.start;
        Location { range: base + start..base + end, ..source }
    }
}
