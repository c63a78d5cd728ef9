import Platform
import Terminal

extension Interruption {
  private static let crashes = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE]
  /// What ends a process that nobody sends on purpose.
  private static let others = [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGXCPU, SIGXFSZ]

  /// From now on the terminal is restored before the process ends by a mistake of its own, a stack that is used up included, or by a signal
  /// that it does not know; then the signal does what it did before.
  static func restoreTerminalOnCrash() {
    let size = 1 << 16
    // It is there until the process ends.
    var stack = stack_t()
    stack.ss_sp = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    stack.ss_size = size
    sigaltstack(&stack, nil)
    for number in crashes + others {
      var action = sigaction()
      let handler: @convention(c) (CInt) -> Void = { number in
        FullScreen.leave()
        signal(number, SIG_DFL)
        raise(number)
      }
      #if canImport(Glibc)
        action.__sigaction_handler.sa_handler = handler
      #elseif canImport(Musl)
        action.__sa_handler.sa_handler = handler
      #else
        action.__sigaction_u.__sa_handler = handler
      #endif
      action.sa_flags = SA_ONSTACK
      sigaction(number, &action, nil)
    }
  }
}
