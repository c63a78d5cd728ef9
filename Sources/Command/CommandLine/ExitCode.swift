/// How the command ends, for a script: the numbers of `sysexits`, and 3 for an incomplete answer.
struct ExitCode: Error, Sendable, Hashable {
  let rawValue: Int32

  static let success = ExitCode(rawValue: 0)
  static let failure = ExitCode(rawValue: 1)
  static let partial = ExitCode(rawValue: 3)
  static let usage = ExitCode(rawValue: 64)
  static let misunderstood = ExitCode(rawValue: 65)
  static let noRecord = ExitCode(rawValue: 66)
  static let unreachable = ExitCode(rawValue: 69)
  static let storage = ExitCode(rawValue: 74)
  static let throttled = ExitCode(rawValue: 75)
  static let refused = ExitCode(rawValue: 77)
  static let settings = ExitCode(rawValue: 78)
  static let hungUp = ExitCode(rawValue: 129)
  static let interrupted = ExitCode(rawValue: 130)

  /// What each means, for the manual page.
  static let meanings: [(code: ExitCode, meaning: String)] = [
    (.success, "asked and answered, from wherever the notice says"),
    (.failure, "anything unforeseen"),
    (.partial, "the answer is incomplete: what there is was printed"),
    (.usage, "the command line was not understood"),
    (.misunderstood, "the service's answer was not understood, and nothing could replace it"),
    (.noRecord, "no such record or file"),
    (.unreachable, "the service could not be reached, and nothing could replace its answer"),
    (.storage, "the store could not be read or written"),
    (.throttled, "rate-limited or out of budget: the message says when to try again"),
    (.refused, "the key was refused or is missing"),
    (.settings, "the settings make no sense, or a named key file cannot be read"),
    (.hungUp, "the terminal is gone"),
    (.interrupted, "interrupted"),
  ]
}
