"""Drives libcuda through NVIDIA's own Python bindings, and nothing of this project.

Run by tests/python.rs with the library of the emulator as libcuda.so.1; it runs as well against a real driver.
"""

import array
import ctypes
import sys

from cuda.bindings import driver as cuda

PTX = b"""
.version 8.0
.target sm_50
.address_size 64

.visible .entry scale(.param .u64 data, .param .u32 factor)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd0, [data];
    ld.param.u32 %r0, [factor];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.u64 %rd0, %rd0, %rd1;
    ld.global.u32 %r2, [%rd0];
    mul.lo.u32 %r2, %r2, %r0;
    st.global.u32 [%rd0], %r2;
    ret;
}

.visible .entry paint(.param .u64 surface)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd;
    ld.param.u64 %rd, [surface];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, %tid.y;
    mad.lo.u32 %r2, %r1, 16, %r0;
    shl.b32 %r3, %r0, 2;
    sust.b.2d.b32.trap [%rd, {%r3, %r1}], %r2;
    ret;
}

.visible .entry stop()
{
    trap;
}
"""


def ok(answer):
    """The values of a call that must succeed."""
    code, *values = answer
    assert code == cuda.CUresult.CUDA_SUCCESS, code
    return values[0] if len(values) == 1 else values


def launch(kernel, block, values, types):
    ok(cuda.cuLaunchKernel(kernel, 1, 1, 1, *block, 0, 0, (values, types), 0))


def scales_a_buffer(module):
    kernel = ok(cuda.cuModuleGetFunction(module, b"scale"))
    data = array.array("I", [1, 2, 3, 2**31 + 5])
    size = len(data) * data.itemsize
    device = ok(cuda.cuMemAlloc(size))
    ok(cuda.cuMemcpyHtoD(device, data.buffer_info()[0], size))
    start, end = ok(cuda.cuEventCreate(0)), ok(cuda.cuEventCreate(0))
    ok(cuda.cuEventRecord(start, 0))
    launch(kernel, (4, 1, 1), (device, 2), (None, ctypes.c_uint32))
    ok(cuda.cuEventRecord(end, 0))
    ok(cuda.cuCtxSynchronize())
    assert ok(cuda.cuEventElapsedTime(start, end)) >= 0
    ok(cuda.cuMemcpyDtoH(data.buffer_info()[0], device, size))
    # The last product is taken modulo 2**32.
    assert data.tolist() == [2, 4, 6, 10], data
    ok(cuda.cuMemFree(device))


def paints_a_surface(module):
    descriptor = cuda.CUDA_ARRAY3D_DESCRIPTOR()
    descriptor.Width, descriptor.Height, descriptor.Depth = 4, 3, 0
    descriptor.Format = cuda.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT32
    descriptor.NumChannels = 1
    descriptor.Flags = cuda.CUDA_ARRAY3D_SURFACE_LDST
    image = ok(cuda.cuArray3DCreate(descriptor))
    resource = cuda.CUDA_RESOURCE_DESC()
    resource.resType = cuda.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
    resource.res.array.hArray = image
    surface = ok(cuda.cuSurfObjectCreate(resource))
    launch(ok(cuda.cuModuleGetFunction(module, b"paint")), (4, 3, 1), (int(surface),), (ctypes.c_uint64,))
    ok(cuda.cuCtxSynchronize())
    texels = array.array("I", [0] * 12)
    copy = cuda.CUDA_MEMCPY2D()
    copy.srcMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_ARRAY
    copy.srcArray = image
    copy.dstMemoryType = cuda.CUmemorytype.CU_MEMORYTYPE_HOST
    copy.dstHost = texels.buffer_info()[0]
    copy.dstPitch = copy.WidthInBytes = 16
    copy.Height = 3
    ok(cuda.cuMemcpy2D(copy))
    # Thread (x, y) stored 16 * y + x.
    assert texels.tolist() == [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35], texels
    ok(cuda.cuSurfObjectDestroy(surface))
    ok(cuda.cuArrayDestroy(image))


def reads_the_log():
    log = bytearray(4096)
    option = cuda.CUjit_option
    keys = [option.CU_JIT_ERROR_LOG_BUFFER, option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    wrong = PTX.replace(b"mul.lo.u32", b"mull.lo.u32")
    code, _ = cuda.cuModuleLoadDataEx(wrong, len(keys), keys, [log, len(log)])
    assert code == cuda.CUresult.CUDA_ERROR_INVALID_PTX, code
    assert b"mull" in log, log


def traps(module):
    stop = ok(cuda.cuModuleGetFunction(module, b"stop"))
    ok(cuda.cuLaunchKernel(stop, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
    failed = cuda.CUresult
    (code,) = cuda.cuCtxSynchronize()
    assert code in (failed.CUDA_ERROR_LAUNCH_FAILED, failed.CUDA_ERROR_ILLEGAL_INSTRUCTION), code
    assert ok(cuda.cuGetErrorName(code)) == code.name.encode()
    # It sticks.
    assert cuda.cuMemAlloc(16)[0] == code
    assert cuda.cuCtxSynchronize()[0] == code


def main():
    ok(cuda.cuInit(0))
    device = ok(cuda.cuDeviceGet(0))
    print("device:", ok(cuda.cuDeviceGetName(64, device)).split(b"\0")[0].decode())
    context = ok(cuda.cuDevicePrimaryCtxRetain(device))
    ok(cuda.cuCtxSetCurrent(context))
    module = ok(cuda.cuModuleLoadData(PTX))
    scales_a_buffer(module)
    paints_a_surface(module)
    reads_the_log()
    traps(module)
    print("done")


if __name__ == "__main__":
    sys.exit(main())
