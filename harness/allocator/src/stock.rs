//! Small pieces that a thread has freed, for its next allocations.
//!
//! mimalloc hands out all free pieces of a page before it hands out one that was freed meanwhile. With some thirty sizes in use that is more memory
//! than the nearest caches of a processor hold, and a tenth of the time of a run went into waiting for the first word of a piece. A stock gives the
//! piece that was freed last, which is still in these caches.
//!
//! Pieces are in classes of sizes. Every piece of a class has room for the largest size of the class, whichever size it was allocated for: so any of
//! them serves any allocation of the class. The stock of a thread holds less than a mebibyte.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::OnceLock;

use super::linux::{mi_free, mi_malloc};

/// The largest size of a piece in a stock.
const LARGEST: usize = 1024;
/// The step from a class to the next; the first one has half of it.
const STEP: usize = 16;
/// The alignment that mimalloc gives to pieces of this size and larger ones.
const ALIGNED: usize = 16;
const CLASSES: usize = LARGEST / STEP + 1;
/// A stock holds at most this many pieces of a class.
const MOST: usize = 64;
/// A stock holds at most this many bytes of a class.
const MOST_BYTES: usize = 1 << 14;

/// A class of sizes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Class(usize);

impl Class {
    /// The class of pieces of this size and alignment; `None` if no stock keeps them.
    #[inline(always)]
    pub(super) fn of(size: usize, align: usize) -> Option<Self> {
        let size = size.max(align);
        let class = if size <= STEP / 2 { 0 } else { size.div_ceil(STEP) };
        (size <= LARGEST && align <= ALIGNED).then_some(Self(class))
    }

    /// Bytes that each piece of the class has.
    #[inline(always)]
    pub(super) const fn size(self) -> usize {
        if self.0 == 0 { STEP / 2 } else { self.0 * STEP }
    }

    /// Pieces of the class that a stock has room for.
    const fn most(self) -> usize {
        let by_bytes = MOST_BYTES / self.size();
        if by_bytes < MOST { by_bytes } else { MOST }
    }
}

/// A piece in a stock. It holds the one that was freed before it.
struct Piece {
    before: *mut Piece,
}

/// The pieces of a class.
struct Shelf {
    /// The one that was freed last.
    last: Cell<*mut Piece>,
    /// How many more pieces fit. It is 0 before the stock is opened and after it is closed.
    room: Cell<usize>,
}

/// What has become of the stock of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing has been freed yet.
    Unopened,
    /// It has what was freed.
    Open,
    /// What is freed goes back to mimalloc at once, because the thread is about to end, or because the stock could not be emptied when it ends.
    Closed,
}

struct Stock {
    state: Cell<State>,
    shelves: [Shelf; CLASSES],
}

/// Has the stock of this thread closed when the thread ends; answers whether that was possible.
///
/// A thread-local variable with a destructor would do the same, but the standard library may allocate to register it, and where the system does not
/// help it aborts if the allocator comes back meanwhile.
fn close_at_end() -> bool {
    static KEY: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    let key = KEY.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the key is written, and the destructor is a function of the program.
        let made = unsafe { libc::pthread_key_create(&raw mut key, Some(close)) };
        (made == 0).then_some(key)
    });
    let Some(key) = key else { return false };
    // The system calls the destructor only if the value is not null.
    // SAFETY: `pthread_key_create` has made the key. Nothing reads through the pointer: the system only compares it with null.
    unsafe { libc::pthread_setspecific(*key, std::ptr::dangling()) == 0 }
}

extern "C" fn close(_: *mut c_void) {
    empty(State::Closed);
}

thread_local! {
    // It has no destructor, so it exists as long as its thread, and access needs no check.
    static STOCK: Stock = const {
        Stock {
            state: Cell::new(State::Unopened),
            shelves: [const { Shelf { last: Cell::new(null_mut()), room: Cell::new(0) } }; CLASSES],
        }
    };
}

/// A piece of the class from the stock of this thread; null if there is none.
#[inline(always)]
pub(super) fn take(class: Class) -> *mut u8 {
    STOCK.with(|stock| {
        let shelf = &stock.shelves[class.0];
        let piece = shelf.last.get();
        if !piece.is_null() {
            // SAFETY: a piece on a shelf belongs to this thread alone, and holds the address of the one before it.
            shelf.last.set(unsafe { (*piece).before });
            shelf.room.set(shelf.room.get() + 1);
        }
        piece.cast()
    })
}

/// A piece of the class: from the stock of this thread, or a new one. Null if there is no memory.
#[inline(always)]
pub(super) fn allocate(class: Class) -> *mut u8 {
    let piece = take(class);
    if piece.is_null() { mi_malloc(class.size()).cast() } else { piece }
}

/// Puts a piece of the class into the stock of this thread, or gives it back if that has no room.
///
/// # Safety
/// mimalloc has given the piece for the size of the class or more, and nobody uses it any more.
#[inline(always)]
pub(super) unsafe fn put(class: Class, piece: *mut u8) {
    STOCK.with(|stock| {
        let shelf = &stock.shelves[class.0];
        let room = shelf.room.get();
        if room == 0 {
            // SAFETY: the caller's promise.
            return unsafe { put_without_room(stock, class, piece) };
        }
        let piece = piece.cast::<Piece>();
        // SAFETY: a piece of the smallest class has the size of a pointer, and mimalloc aligns each piece for one. The caller promises that nobody
        // uses it.
        unsafe { piece.write(Piece { before: shelf.last.get() }) };
        shelf.last.set(piece);
        shelf.room.set(room - 1);
    });
}

/// As [`put`], where the shelf of the class has no room: it has not been opened yet, it is full, or it is closed.
#[cold]
#[inline(never)]
unsafe fn put_without_room(stock: &Stock, class: Class, piece: *mut u8) {
    if stock.state.get() != State::Unopened {
        // SAFETY: the caller's promise.
        return unsafe { mi_free(piece.cast()) };
    }
    // To register the destructor the system may allocate and free. Until that is done the stock is closed.
    stock.state.set(State::Closed);
    if close_at_end() {
        stock.state.set(State::Open);
        for (number, shelf) in stock.shelves.iter().enumerate() {
            shelf.room.set(Class(number).most());
        }
    }
    // SAFETY: the caller's promise. The state is another one now, so that it comes back here at most once.
    unsafe { put(class, piece) };
}

/// Gives all pieces in the stock of this thread back to mimalloc.
pub(super) fn give_back() {
    if STOCK.with(|stock| stock.state.get()) == State::Open {
        empty(State::Open);
    }
}

/// Gives all pieces back, and leaves the stock in this state.
fn empty(state: State) {
    STOCK.with(|stock| {
        stock.state.set(state);
        for (number, shelf) in stock.shelves.iter().enumerate() {
            let mut piece = shelf.last.replace(null_mut());
            while !piece.is_null() {
                // SAFETY: as in `take`. Nobody else has the address of a piece that is off its shelf.
                unsafe {
                    let before = (*piece).before;
                    mi_free(piece.cast());
                    piece = before;
                }
            }
            shelf.room.set(if state == State::Open { Class(number).most() } else { 0 });
        }
    });
}

#[cfg(test)]
mod tests {
    use std::alloc::{GlobalAlloc, Layout};
    use std::sync::{Mutex, mpsc};

    use super::*;
    use crate::linux::Allocator;

    // SAFETY: the library of the crate `mimalloc` has this function with this signature (mimalloc.h).
    unsafe extern "C" {
        fn mi_usable_size(memory: *const c_void) -> usize;
    }

    fn class(size: usize) -> Class {
        Class::of(size, 8).unwrap()
    }

    /// As many pieces of a class as this thread's stock gives.
    fn taken(class: Class) -> Vec<*mut u8> {
        std::iter::repeat_with(|| take(class)).take_while(|piece| !piece.is_null()).collect()
    }

    #[test]
    fn each_size_is_of_the_smallest_class_that_has_room_for_it() {
        for size in 1..=LARGEST {
            for align in [1, 2, 4, 8, 16] {
                let class = Class::of(size, align).unwrap();
                assert!(class.size() >= size && class.size() < size.max(align) + STEP, "{size} {align}");
                assert!(class.size().is_multiple_of(align), "{size} {align}");
                assert!(class.0 < CLASSES && class.most() > 0);
            }
        }
        assert!(Class::of(LARGEST + 1, 8).is_none());
        assert!(Class::of(8, 32).is_none());
    }

    /// Whatever way a piece came into being, another allocation may have it that is as large as its class.
    #[test]
    fn every_piece_has_room_for_the_largest_size_of_its_class() {
        let layout = |size| Layout::from_size_align(size, 1).unwrap();
        for size in 1..=LARGEST {
            // SAFETY: the layouts are those of the pieces, which are not used.
            unsafe {
                let other = if size % 3 == 0 { 5000 } else { size % 200 + 1 };
                let moved = Allocator.realloc(Allocator.alloc(layout(other)), layout(other), size);
                for piece in [Allocator.alloc(layout(size)), Allocator.alloc_zeroed(layout(size)), moved] {
                    assert!(mi_usable_size(piece.cast()) >= class(size).size(), "{size}");
                    Allocator.dealloc(piece, layout(size));
                }
            }
        }
    }

    #[test]
    fn the_piece_that_was_freed_last_is_given_first() {
        let class = class(200);
        let pieces: Vec<*mut u8> = (0..3).map(|_| allocate(class)).collect();
        // SAFETY: the pieces are of that class, and each is put once.
        pieces.iter().for_each(|piece| unsafe { put(class, *piece) });
        let again: Vec<*mut u8> = (0..3).map(|_| allocate(class)).collect();
        assert_eq!(again, pieces.iter().rev().copied().collect::<Vec<_>>());
    }

    #[test]
    fn a_stock_holds_no_more_than_it_has_room_for() {
        for (size, most) in [(8, 64), (100, 64), (256, 64), (512, 32), (1024, 16)] {
            let class = class(size);
            taken(class);
            // SAFETY: the pieces are new, and each is put once.
            (0..100).map(|_| mi_malloc(class.size())).for_each(|piece| unsafe { put(class, piece.cast()) });
            assert_eq!(taken(class).len(), most, "{size}");
        }
    }

    #[test]
    fn pieces_may_be_freed_by_another_thread() {
        let layout = Layout::from_size_align(48, 8).unwrap();
        // SAFETY: the layout is not empty.
        let pieces: Vec<usize> =
            (0..200).map(|_| unsafe { Allocator.alloc(layout) }.expose_provenance()).collect();
        let thread = std::thread::spawn(move || {
            for address in pieces {
                let piece = std::ptr::with_exposed_provenance_mut(address);
                // SAFETY: each piece is given back once, with its layout.
                unsafe { Allocator.dealloc(piece, layout) };
            }
            taken(class(48)).len()
        });
        assert_eq!(thread.join().unwrap(), 64);
    }

    #[test]
    fn a_stock_that_is_emptied_is_filled_again() {
        let class = class(64);
        let thread = std::thread::spawn(move || {
            let fill = || {
                // SAFETY: the pieces are new, and each is put once.
                (0..10).map(|_| mi_malloc(64)).for_each(|piece| unsafe { put(class, piece.cast()) });
            };
            fill();
            give_back();
            let emptied = take(class).is_null();
            fill();
            (emptied, taken(class).len())
        });
        assert_eq!(thread.join().unwrap(), (true, 10));
    }

    /// Notes when it is dropped how many pieces the stock of its thread has, and frees one.
    struct Late(mpsc::Sender<usize>);

    impl Drop for Late {
        fn drop(&mut self) {
            // SAFETY: the piece is new, and it is put once.
            unsafe { put(class(1008), mi_malloc(1008).cast()) };
            // The rest happens once all destructors of thread-local variables have run.
            let _ = self.0.send(taken(class(1008)).len());
        }
    }

    /// The state of a thread's stock is read through a destructor of the system that runs after that of the stock: it was registered later.
    #[test]
    fn a_thread_that_ends_leaves_nothing_behind() {
        static STATE: Mutex<Option<(State, bool)>> = Mutex::new(None);
        extern "C" fn look(_: *mut c_void) {
            let (state, is_empty) = STOCK.with(|stock| {
                let is_empty = stock.shelves.iter().all(|shelf| shelf.last.get().is_null());
                (stock.state.get(), is_empty)
            });
            *STATE.lock().unwrap() = Some((state, is_empty));
        }
        let (sender, receiver) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            // SAFETY: the piece is new, and it is put once.
            unsafe { put(class(64), mi_malloc(64).cast()) };
            thread_local! { static LATE: Cell<Option<Late>> = const { Cell::new(None) }; }
            LATE.set(Some(Late(sender)));
            let mut key = 0;
            // SAFETY: the key is written, and the destructor is a function of the program.
            unsafe {
                assert_eq!(libc::pthread_key_create(&raw mut key, Some(look)), 0);
                assert_eq!(libc::pthread_setspecific(key, std::ptr::dangling()), 0);
            }
            STOCK.with(|stock| stock.state.get() == State::Open)
        });
        assert!(thread.join().unwrap(), "it was open while the thread ran");
        assert!(receiver.recv().unwrap() > 0, "thread-local variables end before the stock");
        assert_eq!(*STATE.lock().unwrap(), Some((State::Closed, true)));
    }
}
