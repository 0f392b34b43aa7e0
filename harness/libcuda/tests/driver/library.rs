//! The built library, opened as a client opens `libcuda.so.1`.

use std::ffi::{CString, c_void};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use libloading::Library;

/// Any handle.
pub(crate) type Handle = *mut c_void;

/// The file that cargo built beside this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the test knows where it is");
    let folder = test.parent().expect("a folder");
    let name = libloading::library_filename("warpdiff_cuda");
    let places = [folder.join(&name), folder.join("..").join(&name)];
    places.into_iter().find(|path| path.exists()).expect("cargo built the library beside the test")
}

/// A driver of its own: a copy of the library, so that errors that stick to the process do not reach other tests.
pub(crate) struct Cuda {
    library: Library,
    /// The file of the copy. On Unix it is removed as soon as the library is open.
    #[cfg(not(unix))]
    copy: PathBuf,
}

impl Cuda {
    /// Opens a fresh copy and initialises it, with a current context.
    pub(crate) fn new() -> Self {
        let cuda = Self::uninitialised();
        assert_eq!(cuda.call::<fn(u32)>("cuInit")(0), 0);
        let mut context: Handle = std::ptr::null_mut();
        assert_eq!(cuda.call::<fn(*mut Handle, u32, i32)>("cuCtxCreate_v2")(&mut context, 0, 0), 0);
        cuda
    }

    /// Opens a fresh copy.
    pub(crate) fn uninitialised() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("libwarpdiff_cuda-{}-{number}.so", std::process::id());
        let copy = std::env::temp_dir().join(name);
        std::fs::copy(built(), &copy).expect("a copy of the library");
        // SAFETY: the library has no initialisers of its own.
        let library = unsafe { Library::new(&copy) }.expect("the library opens");
        // An open library needs no name. Without one nothing is left behind even where a test ends its process.
        #[cfg(unix)]
        std::fs::remove_file(&copy).expect("the copy was made here");
        Self {
            library,
            #[cfg(not(unix))]
            copy,
        }
    }

    /// An entry point: `call::<fn(u32)>("cuInit")` answers something that takes a `u32` and returns the result code.
    pub(crate) fn call<F: Signature>(&self, name: &str) -> F::Callable {
        // SAFETY: the signature is the one of the API, which the test states.
        unsafe {
            let symbol =
                self.library.get::<*const c_void>(CString::new(name).expect("a name").as_bytes_with_nul());
            F::callable(*symbol.unwrap_or_else(|error| panic!("{name}: {error}")))
        }
    }

    /// Loads a module that must be fine.
    pub(crate) fn module(&self, text: &str) -> Handle {
        let image = CString::new(text).expect("no NUL");
        let mut module: Handle = std::ptr::null_mut();
        let load = self.call::<fn(*mut Handle, *const c_void)>("cuModuleLoadData");
        assert_eq!(load(&mut module, image.as_ptr().cast()), 0);
        module
    }

    /// A kernel that must be there.
    pub(crate) fn kernel(&self, module: Handle, name: &str) -> Handle {
        let name = CString::new(name).expect("no NUL");
        let mut kernel: Handle = std::ptr::null_mut();
        let get = self.call::<fn(*mut Handle, Handle, *const i8)>("cuModuleGetFunction");
        assert_eq!(get(&mut kernel, module, name.as_ptr().cast()), 0);
        kernel
    }

    /// Device memory that holds these bytes.
    pub(crate) fn buffer(&self, bytes: &[u8]) -> u64 {
        let mut address = 0u64;
        assert_eq!(self.call::<fn(*mut u64, usize)>("cuMemAlloc_v2")(&mut address, bytes.len()), 0);
        let copy = self.call::<fn(u64, *const c_void, usize)>("cuMemcpyHtoD_v2");
        assert_eq!(copy(address, bytes.as_ptr().cast(), bytes.len()), 0);
        address
    }

    /// Bytes of device memory.
    pub(crate) fn read(&self, address: u64, len: usize) -> Result<Vec<u8>, u32> {
        let mut bytes = vec![0u8; len];
        let copy = self.call::<fn(*mut c_void, u64, usize)>("cuMemcpyDtoH_v2");
        match copy(bytes.as_mut_ptr().cast(), address, len) {
            0 => Ok(bytes),
            code => Err(code),
        }
    }

    /// Launches one block of `threads` threads with arguments of 64 bits, on the default stream.
    pub(crate) fn launch(&self, kernel: Handle, threads: u32, arguments: &mut [u64]) -> u32 {
        let mut pointers: Vec<*mut c_void> =
            arguments.iter_mut().map(|argument| std::ptr::from_mut(argument).cast()).collect();
        self.launch_with(kernel, threads, pointers.as_mut_ptr(), std::ptr::null_mut())
    }

    /// Launches one thread with packed arguments.
    pub(crate) fn launch_packed(&self, kernel: Handle, extra: &mut [*mut c_void]) -> u32 {
        self.launch_with(kernel, 1, std::ptr::null_mut(), extra.as_mut_ptr())
    }

    fn launch_with(
        &self,
        kernel: Handle,
        threads: u32,
        pointers: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> u32 {
        type Launch = unsafe extern "C" fn(
            Handle,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            u32,
            Handle,
            *mut *mut c_void,
            *mut *mut c_void,
        ) -> u32;
        let null = std::ptr::null_mut();
        // SAFETY: the signature is the one of the API; there is a pointer for each parameter.
        unsafe {
            let launch = self.library.get::<Launch>(b"cuLaunchKernel\0").expect("cuLaunchKernel");
            launch(kernel, 1, 1, 1, threads, 1, 1, 0, null, pointers, extra)
        }
    }

    /// Adds a program to a link.
    pub(crate) fn link(&self, state: Handle, program: &[u8]) -> u32 {
        type Add = unsafe extern "C" fn(
            Handle,
            u32,
            *const c_void,
            usize,
            *const c_void,
            u32,
            *mut u32,
            *mut *mut c_void,
        ) -> u32;
        let null = std::ptr::null_mut::<c_void>();
        // SAFETY: the signature is the one of the API; the program has the size that is stated.
        unsafe {
            let add = self.library.get::<Add>(b"cuLinkAddData_v2\0").expect("cuLinkAddData_v2");
            add(state, 1, program.as_ptr().cast(), program.len(), null, 0, null.cast(), null.cast())
        }
    }

    /// The address of a symbol.
    pub(crate) fn address(&self, name: &str) -> *mut c_void {
        let name = CString::new(name).expect("no NUL");
        // SAFETY: the address is only looked at.
        unsafe { *self.library.get::<*mut c_void>(name.as_bytes_with_nul()).expect("the symbol") }
    }

    /// `cuCtxSynchronize`.
    pub(crate) fn synchronize(&self) -> u32 {
        self.call::<fn()>("cuCtxSynchronize")()
    }
}

#[cfg(not(unix))]
impl Drop for Cuda {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.copy);
    }
}

/// A signature of an entry point, written as a safe function type without its result.
pub(crate) trait Signature {
    /// What can be called.
    type Callable;

    /// Makes a symbol callable.
    ///
    /// # Safety
    /// The symbol is a function of this signature.
    unsafe fn callable(symbol: *const c_void) -> Self::Callable;
}

macro_rules! signatures {
    ($(($($name:ident $ty:ident),*))*) => {
        $(
            impl<$($ty: 'static),*> Signature for fn($($ty),*) {
                type Callable = Box<dyn Fn($($ty),*) -> u32>;

                unsafe fn callable(symbol: *const c_void) -> Self::Callable {
                    // SAFETY: the caller's.
                    let function: unsafe extern "C" fn($($ty),*) -> u32 = unsafe { std::mem::transmute(symbol) };
                    // SAFETY: the test passes what the API asks for.
                    Box::new(move |$($name),*| unsafe { function($($name),*) })
                }
            }
        )*
    };
}

signatures! {
    ()
    (a A)
    (a A, b B)
    (a A, b B, c C)
    (a A, b B, c C, d D)
    (a A, b B, c C, d D, e E)
}
