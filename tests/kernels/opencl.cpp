// The OpenCL 1.2 host side: one context, one in-order queue, programs kept by path.
#define CL_TARGET_OPENCL_VERSION 120
#include "tests/kernels/opencl.h"
#include <CL/cl.h>
#include <fstream>
#include <map>
#include <sstream>

namespace crosslane::workload {

struct OpenCl::Impl {
  std::string device_name, reason;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::map<std::string, cl_program> programs;

  cl_program build(const std::string& path, const std::string& options, std::string& error);
};

OpenCl::OpenCl() : impl_(std::make_unique<Impl>()) {
  cl_platform_id platform;
  cl_uint count = 0;
  if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0) {
    impl_->reason = "no OpenCL platform is installed (package pocl-opencl-icd)";
    return;
  }
  cl_int error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &impl_->device, &count);
  if (error != CL_SUCCESS || count == 0) {
    impl_->reason = "the OpenCL platform has no device";
    return;
  }
  impl_->context = clCreateContext(nullptr, 1, &impl_->device, nullptr, nullptr, &error);
  if (error == CL_SUCCESS)
    impl_->queue = clCreateCommandQueue(impl_->context, impl_->device, 0, &error);
  if (error != CL_SUCCESS) {
    impl_->reason = "no OpenCL context: error " + std::to_string(error);
    return;
  }
  char name[256] = "";
  clGetDeviceInfo(impl_->device, CL_DEVICE_NAME, sizeof name, name, nullptr);
  impl_->device_name = name;
}

OpenCl::~OpenCl() {
  for (auto& [name, program] : impl_->programs)
    clReleaseProgram(program);
  if (impl_->queue)
    clReleaseCommandQueue(impl_->queue);
  if (impl_->context)
    clReleaseContext(impl_->context);
}

const std::string& OpenCl::device() const { return impl_->device_name; }
const std::string& OpenCl::reason() const { return impl_->reason; }

cl_program OpenCl::Impl::build(const std::string& path, const std::string& options, std::string& error) {
  if (auto found = programs.find(path); found != programs.end())
    return found->second;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    return error = "cannot read " + path, nullptr;
  std::string source = text.str();
  const char* pointer = source.c_str();
  cl_int status;
  cl_program program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &status);
  if (status == CL_SUCCESS)
    status = clBuildProgram(program, 1, &device, options.c_str(), nullptr, nullptr);
  if (status != CL_SUCCESS) {
    std::string log(16384, '\0');
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    return error = path + " does not build: " + log.c_str(), nullptr;
  }
  return programs[path] = program;
}

namespace {

class ClSession : public Session {
public:
  ClSession(OpenCl::Impl& cl, const Workload& workload, const std::string& examples) : cl_(cl), workload_(workload) {
    std::string path = workload.source.front() == '/' ? workload.source : examples + "/" + workload.source;
    if (cl_program program = cl.build(path, workload.opencl_options, error_))
      prepare(program);
    if (error_.empty())
      fill();
  }

  ~ClSession() override {
    for (cl_kernel kernel : kernels_)
      clReleaseKernel(kernel);
    for (cl_mem memory : memory_)
      clReleaseMemObject(memory);
  }

  void fill() override {
    for (size_t i = 0; i < memory_.size(); ++i)
      if (const Bytes& bytes = workload_.buffers[i].initial; !bytes.empty())
        check("clEnqueueWriteBuffer",
              clEnqueueWriteBuffer(cl_.queue, memory_[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr));
  }

  double once() override {
    double start = Clock::now();
    for (size_t i = 0; i < kernels_.size(); ++i) {
      const Launch& launch = workload_.launches[i];
      size_t grid[3], block[3], offset[3];
      for (int d = 0; d < 3; ++d)
        grid[d] = launch.grid[d], block[d] = launch.block[d], offset[d] = launch.offset[d];
      check("clEnqueueNDRangeKernel", clEnqueueNDRangeKernel(cl_.queue, kernels_[i], cl_uint(launch.dimensions), offset,
                                                             grid, block, 0, nullptr, nullptr));
    }
    check("clFinish", clFinish(cl_.queue));
    return Clock::now() - start;
  }

  std::vector<Bytes> read() override {
    std::vector<Bytes> all;
    for (size_t i = 0; i < memory_.size(); ++i) {
      Bytes& bytes = all.emplace_back(workload_.buffers[i].initial.size());
      if (!bytes.empty())
        check("clEnqueueReadBuffer",
              clEnqueueReadBuffer(cl_.queue, memory_[i], CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr));
    }
    return all;
  }

private:
  void check(const char* what, cl_int status) {
    if (status != CL_SUCCESS && error_.empty())
      error_ = workload_.name + ": " + what + " gave OpenCL error " + std::to_string(status);
  }

  void prepare(cl_program program) {
    cl_int status;
    for (const Buffer& b : workload_.buffers) {
      memory_.push_back(
          clCreateBuffer(cl_.context, CL_MEM_READ_WRITE, std::max<size_t>(b.initial.size(), 4), nullptr, &status));
      check("clCreateBuffer", status);
    }
    for (const Launch& launch : workload_.launches) {
      cl_kernel kernel = kernels_.emplace_back(clCreateKernel(program, launch.kernel.c_str(), &status));
      check("clCreateKernel", status);
      for (cl_uint i = 0; i < launch.arguments.size() && error_.empty(); ++i) {
        const Argument& a = launch.arguments[i];
        if (a.kind == Argument::Kind::buffer)
          status = clSetKernelArg(kernel, i, sizeof(cl_mem), &memory_[a.buffer]);
        else if (a.kind == Argument::Kind::local)
          status = clSetKernelArg(kernel, i, a.local_size, nullptr);
        else
          status = clSetKernelArg(kernel, i, a.value.size(), a.value.data());
        check("clSetKernelArg", status);
      }
    }
  }

  OpenCl::Impl& cl_;
  const Workload& workload_;
  std::vector<cl_mem> memory_;
  std::vector<cl_kernel> kernels_;
};

} // namespace

std::unique_ptr<Session> OpenCl::open(const Workload& workload, const std::string& examples) {
  return std::make_unique<ClSession>(*impl_, workload, examples);
}

} // namespace crosslane::workload
