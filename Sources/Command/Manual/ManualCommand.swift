import AggregatorCore
import Presentation

/// The hidden `__man`: the manual page, for whoever installs or packages the program.
enum ManualCommand {
  static let command = Command(["__man"], isListed: false, "print the manual page") { invocation in
    let program = invocation.program
    // Whoever builds the same sources twice wants the same page twice.
    let epoch = program.environment["SOURCE_DATE_EPOCH"].flatMap { Int($0) }
    let moment = epoch.map { Moment(secondsSinceEpoch: $0) } ?? program.clock.now
    let manual = Manual(
      program: program.name, version: program.version, day: CalendarDay(moment), catalogue: program.catalogue,
      grammar: Grammar(program.catalogue))
    try program.console.write(manual.text)
    return .success
  }
}
