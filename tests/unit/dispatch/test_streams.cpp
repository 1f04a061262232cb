// Streams and events through the C interface of the runtime.
#include <gtest/gtest.h>

#include "dispatch/rt_api.h"

namespace cuda_device::dispatch {
namespace {

Outcome sync(Stream* stream) {
  Outcome outcome;
  cd_rt_stream_sync(stream, cd_rt_stream_mark(stream), 20000, &outcome);
  return outcome;
}

TEST(RtApi, AnEventIsDoneUntilItIsRecorded) {
  Event* event = cd_rt_event_create();
  EXPECT_TRUE(cd_rt_event_query(event));
  Outcome outcome;
  cd_rt_event_sync(event, 0, &outcome);
  EXPECT_EQ(outcome.status, Status::Ok);
  cd_rt_event_difference(event, event, &outcome);
  EXPECT_EQ(outcome.text,
            "an event that was not recorded or is not done yet has no time: record() both, sync() "
            "the later one");
  cd_rt_event_release(event);
}

TEST(RtApi, EventsOrderStreams) {
  Stream *first = cd_rt_stream_create(), *second = cd_rt_stream_create();
  Event *one = cd_rt_event_create(), *two = cd_rt_event_create();
  cd_rt_event_record(one, first);
  cd_rt_stream_wait(second, one);
  cd_rt_event_record(two, second);
  EXPECT_EQ(sync(second).status, Status::Ok);
  EXPECT_TRUE(cd_rt_event_query(one));
  EXPECT_TRUE(cd_rt_event_query(two));
  Outcome outcome;
  EXPECT_GE(cd_rt_event_difference(two, one, &outcome), 0);
  EXPECT_EQ(outcome.status, Status::Ok);
  for (Event* e : {one, two}) cd_rt_event_release(e);
  for (Stream* s : {first, second}) cd_rt_stream_release(s);
}

TEST(RtApi, StreamsHaveHandlesOfTheirOwn) {
  Stream *first = cd_rt_stream_create(), *second = cd_rt_stream_create();
  EXPECT_NE(cd_rt_stream_handle(first), cd_rt_stream_handle(second));
  EXPECT_NE(cd_rt_stream_handle(first), cd_rt_stream_handle(cd_rt_default_stream()));
  EXPECT_TRUE(cd_rt_stream_query(first));
  for (Stream* s : {first, second}) cd_rt_stream_release(s);
}

// The test's own folder holds no compiler.
TEST(RtApi, ALaunchWithoutACompilerSaysSoAndLeavesTheOwnerToTheCaller) {
  Kernel* kernel = cd_rt_kernel_create();
  const std::function<Specialisation()> specialise = [] { return Specialisation(); };
  abi::Owner owner;
  LaunchRequest request;
  request.kernel = kernel;
  request.key = "key";
  request.specialise = &specialise;
  request.owner = &owner;
  for (Stream* stream : {cd_rt_default_stream(), static_cast<Stream*>(nullptr)}) {
    request.stream = stream;
    Outcome outcome;
    cd_rt_launch(&request, &outcome);
    EXPECT_EQ(outcome.status, Status::RuntimeFault);
    EXPECT_TRUE(outcome.text.starts_with("cannot open the compiler library")) << outcome.text;
  }
  EXPECT_EQ(sync(cd_rt_default_stream()).status, Status::Ok);
  EXPECT_EQ(cd_rt_take_finished(), nullptr);
  cd_rt_kernel_release(kernel);
}

}  // namespace
}  // namespace cuda_device::dispatch
