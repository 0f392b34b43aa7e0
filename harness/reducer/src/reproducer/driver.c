/* The driver: it sets everything up, runs the kernel once, and compares what it leaves. It declares what it needs of the CUDA driver API
   (cuda.h, 64 bit) itself, so that no CUDA toolkit is needed to compile it. */

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct { size_t width, height, depth; int format; unsigned channels, flags; } array_descriptor;
typedef struct {
    size_t src_x, src_y, src_z, src_lod; int src_type; const void *src_host; CUdeviceptr src_device; void *src_array, *reserved_0;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod; int dst_type; void *dst_host; CUdeviceptr dst_device; void *dst_array, *reserved_1;
    size_t dst_pitch, dst_height, width, height, depth;
} copy_3d;
typedef struct { int type; union { void *array; int reserved[32]; } of; unsigned flags; } resource_descriptor;
typedef struct {
    int address[3], filter; unsigned flags, anisotropy; int mipmap_filter; float bias, least, greatest, border[4]; int reserved[12];
} texture_descriptor;

static void *library;

/* A function of the driver by its name. */
static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (!found) { fprintf(stderr, "the driver has no %s\n", name); exit(2); }
    return found;
}

static const char *error_name(CUresult code) {
    const char *name = NULL;
    ((CUresult (*)(CUresult, const char **))function("cuGetErrorName"))(code, &name);
    return name ? name : "an error without a name";
}

static void check(CUresult code, const char *what) {
    if (code != 0) { fprintf(stderr, "%s failed: %s (%d)\n", what, error_name(code), code); exit(2); }
}

/* Calls a function whose parameters are of these types; what does not work ends the program with 2. */
#define CALL(name, types, ...) check(((CUresult (*) types)function(#name))(__VA_ARGS__), #name)

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) { perror(path); exit(2); }
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    for (size_t got; (got = fread(text + size, 1, room - size - 1, file)) > 0;) {
        size += got;
        if (room - size < 2) text = realloc(text, room *= 2);
    }
    text[size] = 0;
    fclose(file);
    return text;
}

/* Copies all texels of an image to its array, or from there. */
static void copy_image(struct image *image, const void *from, void *to) {
    copy_3d copy;
    memset(&copy, 0, sizeof copy);
    size_t row = image->row_bytes, rows = image->height ? image->height : 1, slices = image->depth ? image->depth : 1;
    copy.src_type = from ? 1 : 3;
    copy.dst_type = from ? 3 : 1;
    copy.src_host = from;
    copy.dst_host = to;
    copy.src_array = from ? NULL : image->array;
    copy.dst_array = from ? image->array : NULL;
    copy.src_pitch = copy.dst_pitch = copy.width = row;
    copy.src_height = copy.dst_height = copy.height = rows;
    copy.depth = slices;
    CALL(cuMemcpy3D_v2, (const copy_3d *), &copy);
}

static void make_image(struct image *image, void *module) {
    array_descriptor shape = { image->width, image->height, image->depth, image->format, image->channels, image->array_flags };
    CALL(cuArray3DCreate_v2, (void **, const array_descriptor *), &image->array, &shape);
    copy_image(image, image->contents, NULL);
    resource_descriptor resource;
    memset(&resource, 0, sizeof resource);
    resource.of.array = image->array;
    if (!image->is_texture) {
        CALL(cuSurfObjectCreate, (unsigned long long *, const resource_descriptor *), &image->object, &resource);
        if (image->bound_to) {
            void *reference;
            CALL(cuModuleGetSurfRef, (void **, void *, const char *), &reference, module, image->bound_to);
            CALL(cuSurfRefSetArray, (void *, void *, unsigned), reference, image->array, 0);
        }
        return;
    }
    texture_descriptor texture;
    memset(&texture, 0, sizeof texture);
    memcpy(texture.address, image->address, sizeof texture.address);
    memcpy(texture.border, image->border, sizeof texture.border);
    texture.filter = image->filter;
    texture.flags = image->texture_flags;
    CALL(cuTexObjectCreate, (unsigned long long *, const resource_descriptor *, const texture_descriptor *, const void *), &image->object,
         &resource, &texture, NULL);
    if (image->bound_to) {
        void *reference;
        CALL(cuModuleGetTexRef, (void **, void *, const char *), &reference, module, image->bound_to);
        CALL(cuTexRefSetArray, (void *, void *, unsigned), reference, image->array, 1);
        for (int axis = 0; axis < 3; axis++)
            CALL(cuTexRefSetAddressMode, (void *, int, int), reference, axis, image->address[axis]);
        CALL(cuTexRefSetFilterMode, (void *, int), reference, image->filter);
        CALL(cuTexRefSetFlags, (void *, unsigned), reference, image->texture_flags);
        CALL(cuTexRefSetBorderColor, (void *, float *), reference, (float *)image->border);
    }
}

static void make_buffer(struct buffer *buffer) {
    size_t size = buffer->size + 2 * GUARD;
    unsigned char *bytes = malloc(size);
    memset(bytes, 0xa5, size);
    memcpy(bytes + GUARD, buffer->contents, buffer->size);
    CALL(cuMemAlloc_v2, (CUdeviceptr *, size_t), &buffer->base, size);
    CALL(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t), buffer->base, bytes, size);
    free(bytes);
}

static CUdeviceptr address_of(void *module, const char *variable) {
    CUdeviceptr address;
    size_t size;
    CALL(cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, void *, const char *), &address, &size, module, variable);
    return address;
}

/* What the kernel left in a region. */
static unsigned char *left_in(const struct region *region, void *module) {
    unsigned char *bytes = malloc(region->size + 1);
    struct buffer *buffer = &buffers[region->index];
    switch (region->kind) {
    case 'b':
        CALL(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t), bytes, buffer->base + GUARD, region->size);
        break;
    case 'g':
        CALL(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t), bytes, buffer->base, GUARD);
        CALL(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t), bytes + GUARD, buffer->base + GUARD + buffer->size, GUARD);
        break;
    case 's':
        copy_image(&images[region->index], NULL, bytes);
        break;
    default:
        CALL(cuMemcpyDtoH_v2, (void *, CUdeviceptr, size_t), bytes, address_of(module, region->name), region->size);
    }
    return bytes;
}

/* The bytes that differ from what is expected there; prints the first of them. */
static size_t differing(const struct region *region, const unsigned char *left, int print) {
    size_t wrong = 0;
    for (size_t at = 0; at < region->size; at++) {
        if (!((left[at] ^ region->expected[at]) & region->defined[at])) continue;
        if (print && wrong < 16)
            printf("  %s `%s`, byte %zu: expected %02x, observed %02x\n", region->what, region->name, at,
                   region->expected[at] & region->defined[at], left[at] & region->defined[at]);
        wrong++;
    }
    return wrong;
}

int main(int count, char **words) {
    const char *path = count > 1 ? words[1] : "reproducer.ptx";
    const char *name = getenv("LIBCUDA") ? getenv("LIBCUDA") : "libcuda.so.1";
    library = dlopen(name, RTLD_NOW);
    if (!library) { fprintf(stderr, "%s\n", dlerror()); return 2; }
    char *program = read_file(path), log[8192] = "";
    CUdevice device;
    void *context, *module, *kernel;
    CALL(cuInit, (unsigned), 0);
    CALL(cuDeviceGet, (CUdevice *, int), &device, 0);
    CALL(cuCtxCreate_v2, (void **, unsigned, CUdevice), &context, 0, device);
    int options[] = { 5, 6 }; /* CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES */
    void *values[] = { log, (void *)(size_t)(sizeof log - 1) };
    CUresult loaded = ((CUresult (*)(void **, const void *, unsigned, int *, void **))function("cuModuleLoadDataEx"))(
        &module, program, 2, options, values);
    if (loaded != 0) {
        printf("wrong: the driver refuses the program, which is legal: %s\n%s\n", error_name(loaded), log);
        return 1;
    }
    CALL(cuModuleGetFunction, (void **, void *, const char *), &kernel, module, KERNEL);
    for (int n = 0; n < BUFFERS; n++) make_buffer(&buffers[n]);
    for (int n = 0; n < IMAGES; n++) make_image(&images[n], module);
    for (int n = 0; n < WRITES; n++)
        CALL(cuMemcpyHtoD_v2, (CUdeviceptr, const void *, size_t), address_of(module, writes[n].name), writes[n].bytes, writes[n].size);
    unsigned long long handles[ARGUMENTS + 1];
    void *parameters[ARGUMENTS + 1];
    for (int n = 0; n < ARGUMENTS; n++) {
        const struct argument *argument = &arguments[n];
        if (argument->kind == 'b') handles[n] = buffers[argument->index].base + GUARD + argument->offset;
        if (argument->kind == 'i') handles[n] = images[argument->index].object;
        parameters[n] = argument->kind == 'v' ? (void *)argument->bytes : (void *)&handles[n];
    }
    if (SHARED > 48 * 1024) /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
        CALL(cuFuncSetAttribute, (void *, int, int), kernel, 8, SHARED);
    CUresult ended = ((CUresult (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))
        function("cuLaunchKernel"))(kernel, GRID, BLOCK, SHARED, NULL, parameters, NULL);
    if (ended == 0) ended = ((CUresult (*)(void))function("cuCtxSynchronize"))();
    if (ended != 0) {
        printf("%s: the kernel ends with %s (%d)\n", MAY_FAULT ? "as expected" : "wrong", error_name(ended), ended);
        return MAY_FAULT ? 0 : 1;
    }
    if (OUTCOMES == 0) {
        printf("wrong: the kernel completes, and has to end with an error\n");
        return 1;
    }
    unsigned char *left[REGIONS + 1];
    for (int n = 0; n < REGIONS; n++) left[n] = left_in(&regions[0][n], module);
    int nearest = 0;
    size_t least = (size_t)-1;
    for (int outcome = 0; outcome < OUTCOMES; outcome++) {
        size_t wrong = 0;
        for (int n = 0; n < REGIONS; n++) wrong += differing(&regions[outcome][n], left[n], 0);
        if (wrong < least) { least = wrong; nearest = outcome; }
    }
    if (least == 0) { printf("as expected\n"); return 0; }
    printf("wrong: %zu bytes differ from what the specification allows\n", least);
    for (int n = 0; n < REGIONS; n++) differing(&regions[nearest][n], left[n], 1);
    return 1;
}
