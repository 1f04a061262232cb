#include "support/log.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "support/fork.h"

namespace cuda_device::log {
namespace {

struct Named {
  std::string_view name;
  Topic topic;
};
constexpr Named kTopics[] = {
    {"compile", Topic::Compile}, {"launch", Topic::Launch}, {"cache", Topic::Cache}};

std::string_view name_of(Topic topic) {
  for (const Named& t : kTopics)
    if (t.topic == topic) return t.name;
  return "?";
}

std::string_view trimmed(std::string_view word) {
  constexpr std::string_view kBlank = " \t";
  const size_t first = word.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return "";
  return word.substr(first, word.find_last_not_of(kBlank) - first + 1);
}

// What a pipe takes in one piece; a longer line is cut, for the system may split it.
constexpr size_t kMostBytes = PIPE_BUF;

void write_line(std::string line) {
  if (line.size() >= kMostBytes) {
    line.resize(kMostBytes - 4);
    line += "...";
  }
  line += '\n';
  const int before = errno;
  while (::write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR) {
  }
  errno = before;
}

void warn_of(const std::string& unknown) {
  std::string known;
  for (const Named& t : kTopics) known += (known.empty() ? "" : ", ") + std::string(t.name);
  warn("CUDA_DEVICE_LOG names " + unknown + "; it knows " + known);
}

uint8_t topics_of_environment() {
  const char* list = std::getenv("CUDA_DEVICE_LOG");
  std::string unknown;
  const uint8_t named = topics_named(list ? list : "", unknown);
  if (!unknown.empty()) warn_of(unknown);
  topics.store(named, std::memory_order_relaxed);
  return named;
}

// A value in a line stays in that line, and is one word.
std::string one_word(std::string_view value) {
  std::string text;
  bool plain = !value.empty();
  for (const char c : value) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    plain = plain && !control && c != ' ' && c != '"';
    if (c == '"' || c == '\\') text += '\\';
    text += control ? ' ' : c;
  }
  return plain ? std::string(value) : '"' + text + '"';
}

}  // namespace

std::atomic<uint8_t> topics{kUnread};

uint8_t read_topics() {
  static constinit MadeOnce<uint8_t> once;
  return once.get(topics_of_environment);
}

uint8_t topics_named(std::string_view list, std::string& unknown) {
  uint8_t found = 0;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    const std::string_view word = trimmed(list.substr(at, end - at));
    at = end + 1;
    uint8_t topic = 0;
    for (const Named& t : kTopics)
      if (t.name == word) topic = static_cast<uint8_t>(t.topic);
    found |= topic;
    if (!topic && !word.empty()) unknown += (unknown.empty() ? "" : ", ") + one_word(word);
  }
  return found;
}

Event& Event::fact(std::string_view name, std::string_view value) {
  if (wanted_) facts_.append(" ").append(name).append("=").append(one_word(value));
  return *this;
}

Event& Event::fact(std::string_view name, uint64_t value) {
  return wanted_ ? fact(name, std::to_string(value)) : *this;
}

Event& Event::fact(std::string_view name, const std::array<uint32_t, 3>& values) {
  if (!wanted_) return *this;
  return fact(name, std::to_string(values[0]) + "," + std::to_string(values[1]) + "," +
                        std::to_string(values[2]));
}

void Event::write(std::string_view subject) {
  if (!wanted_) return;
  const std::string time = time_text(Clock::now() - begin_);
  write_line("cuda.device " + std::string(name_of(topic_)) + " " + one_word(subject) + facts_ +
             " time=" + time);
}

void warn(const std::string& text) { write_line("cuda.device: " + text); }

std::string time_text(std::chrono::nanoseconds time) {
  const double us = static_cast<double>(time.count()) * 1e-3;
  const double value = us < 1e3 ? us : us < 1e6 ? us * 1e-3 : us * 1e-6;
  const char* unit = us < 1e3 ? "us" : us < 1e6 ? "ms" : "s";
  const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%s", digits, value, unit);
  return text;
}

}  // namespace cuda_device::log
