package import AggregatorCore
import Programs
import Synchronization

/// The keys that commands of the key file have printed. Each command is run once in the life of the process.
final class CommandKeys: Sendable {
  private typealias Answer = Result<Secret, SourceError>

  /// The answers by the name of the key and the text of its command. Nil while the command runs.
  private let answers = Mutex<[String: Answer?]>([:])

  /// Returns the settings with the keys that are known by now.
  func known(to settings: Settings) -> Settings {
    let waiting = settings.waitingCommands
    guard !waiting.isEmpty else { return settings }
    let known = answers.withLock { answers in
      waiting.reduce(into: [String: Answer]()) { known, command in
        if let answer = answers[Self.id(of: command)] { known[command.name] = answer }
      }
    }
    return settings.answering(known)
  }

  /// Returns the settings with the keys of these names. The commands that print them are run, all at once.
  func fetched(_ settings: Settings, for names: Set<String>, searching folders: String, within time: Duration) async -> Settings
  {
    let new = settings.waitingCommands.filter { command in
      names.contains(command.name) && answers.withLock { $0.updateValue(nil, forKey: Self.id(of: command)) == nil }
    }
    guard !new.isEmpty else { return known(to: settings) }
    await withTaskGroup(of: Void.self) { group in
      for command in new {
        group.addTask { [self] in
          let answer: Answer
          do { answer = .success(try await command.key(hiding: settings, searching: folders, within: time).key) } catch {
            answer = .failure(error as? SourceError ?? command.fault("was stopped"))
          }
          answers.withLock { $0[Self.id(of: command)] = answer }
        }
      }
    }
    return known(to: settings)
  }

  private static func id(of command: KeyCommand) -> String { "\(command.name) \(command.path) \(command.text.reveal())" }
}

extension KeyCommand {
  /// Runs the command and returns the key that it prints, and how many further lines it printed.
  func key(hiding settings: Settings, searching folders: String, within time: Duration) async throws -> (
    key: Secret, furtherLines: Int
  ) {
    if let refusal { throw fault("is not run: \(refusal)", remedy: "save it in a key file of your own") }
    do {
      let program = try KeyProgram(ShellWords.command(in: text.reveal()), searching: folders)
      let answer = try await program.key(hiding: settings, within: time)
      try KeyFile.check(answer.key, of: name)
      return answer
    } catch let error as SourceError {
      throw fault("gave no key: \(error.message)", remedy: error.kind == .missingKey ? error.remedy : nil)
    }
  }
}

extension Invocation {
  /// Returns the world in which sources ask their services. The commands that print the keys of these sources are run first.
  package func askingWorld(
    of sources: [SourceDescriptor], and further: [Setting] = [], evenOffline: Bool = false, storing isStoring: Bool = false
  ) async throws -> World {
    var world = try world(storing: isStoring)
    if evenOffline || !has(.offline) { world.settings = try await fetchingKeys(world.settings, of: sources, and: further) }
    return world
  }

  /// Runs the commands that print the keys of these sources, and returns the settings with the keys.
  func fetchingKeys(
    _ settings: Settings, of sources: [SourceDescriptor], and further: [Setting] = []
  ) async throws -> Settings {
    guard !settings.waitingCommands.isEmpty else { return settings }
    let names = Set((sources.flatMap(\.settings) + further).map(\.name))
    // Half of the time is left for an answer from elsewhere.
    let time = min(try timeout().map { $0 / 2 } ?? KeyProgram.usualTime, KeyProgram.usualTime)
    return await program.commandKeys.fetched(settings, for: names, searching: program.environment["PATH"] ?? "", within: time)
  }
}
