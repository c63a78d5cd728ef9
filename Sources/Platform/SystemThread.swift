/// Threads beside the pool of tasks, for what blocks.
package enum SystemThread {
  private final class Job: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `run` on a thread of its own; false where the system has none to give.
  @discardableResult
  package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
    // The thread takes over this reference.
    let job = Unmanaged.passRetained(Job(run))
    #if canImport(Glibc)
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { context in
          if let context { Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run() }
          return nil
        }, job.toOpaque())
      if code == 0 { pthread_detach(thread) } else { job.release() }
    #else
      var thread: pthread_t?
      let code = pthread_create(
        &thread, nil,
        { context in
          Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run()
          return nil
        }, job.toOpaque())
      if code == 0, let thread { pthread_detach(thread) } else { job.release() }
    #endif
    return code == 0
  }
}
