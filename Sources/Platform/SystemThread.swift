/// Threads outside the pool of tasks, for work that blocks.
package enum SystemThread {
  private final class Job: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    static func run(_ context: UnsafeMutableRawPointer?) {
      if let context { Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run() }
    }
  }

  /// Runs `run` on a thread of its own. Returns false if the system gives no thread.
  @discardableResult
  package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
    // The thread takes over this reference.
    let job = Unmanaged.passRetained(Job(run))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
      Job.run($0)
      return nil
    }
    let code = pthread_create(&thread, &attributes, begin, job.toOpaque())
    if code != 0 { job.release() }
    return code == 0
  }
}
