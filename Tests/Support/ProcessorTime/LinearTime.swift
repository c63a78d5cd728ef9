import Platform
package import Testing

/// Checks that an input `factor` times as large takes about `factor` times as long, and not the square of that.
///
/// It measures the thread's own processor time, and takes the shortest of all tries, so that a
/// busy machine makes no difference. If something spoils some tries (memory is handed out slowly,
/// a cache is in use by another program), it tries again; a quadratic time stays quadratic.
package enum LinearTime {
  package static func expect(
    _ what: String, factor: Int, small: () -> Void, large: () -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var least = (small: Duration.seconds(1_000_000), large: Duration.seconds(1_000_000))
    for attempt in 0..<20 {
      least = (min(least.small, processorTime(of: small)), min(least.large, processorTime(of: large)))
      if attempt >= 2, isLinear(least, factor) { return }
      // Other programs do not spoil a run that long, and twenty of them would take for ever.
      if attempt >= 2, least.large > .seconds(5) { break }
    }
    Issue.record("\(least.large) and \(least.small): \(what)", sourceLocation: sourceLocation)
  }

  /// Four times the linear time is still far from the square.
  private static func isLinear(_ time: (small: Duration, large: Duration), _ factor: Int) -> Bool {
    time.large < max(time.small, .microseconds(20)) * (4 * factor)
  }

  private static func processorTime(of work: () -> Void) -> Duration {
    let start = threadTime()
    work()
    return threadTime() - start
  }

  private static func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
