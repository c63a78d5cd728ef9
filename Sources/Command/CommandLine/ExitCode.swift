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
  static let interrupted = ExitCode(rawValue: 130)
}
