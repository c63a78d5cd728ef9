import AggregatorCore
import Platform
import StoreTables
import Synchronization

/// The parts of syncs that this store has claimed: rows on the server that last for a minute, and are renewed while the sync runs.
///
/// A holder that was stopped for longer may have lost its claim to another one; its further writes are refused then.
final class LeasedClaims: Sendable {
  private struct Part: Hashable {
    let kind: String
    let part: String
  }

  private let server: DatabaseServer
  private let held = Mutex<[Part: (holder: UInt64, renewal: Task<Void, Never>)]>([:])

  init(on server: DatabaseServer) { self.server = server }

  deinit { for claim in held.withLock({ $0.values }) { claim.renewal.cancel() } }

  /// Returns the holder that claimed the whole sync of these records in this store; nil without such a claim.
  func holder(of kind: RecordKind) -> UInt64? {
    held.withLock { $0[Part(kind: kind.name, part: Claim.everything)]?.holder }
  }

  func take(_ claim: Claim, of kind: RecordKind) async throws {
    var ended: String?
    while try await !isTaken(claim, of: kind, from: ended) {
      let process = try await server.read(
        "SELECT process FROM aggregator.sync_claim WHERE source = $1 AND part = $2", kind.name, claim.part
      ).first { $0.text(0) }
      // A process that was killed on this machine is known to have ended; for others the server's clock decides.
      guard let process, process != ended, ProcessName(process)?.hasEnded == true else { throw Claim.isTaken }
      ended = process
    }
    let server = server
    // The claim ends by the server's clock, so it is renewed in real time, whatever a test does with our clock.
    let renewal = Task {
      while (try? await Task.sleep(for: .seconds(15))) != nil {
        try? await server.write { transaction in
          transaction.queue(
            "UPDATE aggregator.sync_claim SET until = \(Self.soon) WHERE source = $1 AND part = $2 AND holder = $3",
            kind.name, claim.part, Int64(bitPattern: claim.holder))
        }
      }
    }
    held.withLock { $0[Part(kind: kind.name, part: claim.part)] = (claim.holder, renewal) }
  }

  func release(_ claim: Claim, of kind: RecordKind) async {
    let part = Part(kind: kind.name, part: claim.part)
    let renewal = held.withLock { held -> Task<Void, Never>? in
      guard held[part]?.holder == claim.holder else { return nil }
      return held.removeValue(forKey: part)?.renewal
    }
    renewal?.cancel()
    let server = server
    // In a task of its own, which is not cancelled with this one.
    _ = await Task {
      try await server.write(patience: .seconds(5)) { transaction in
        transaction.queue(
          "DELETE FROM aggregator.sync_claim WHERE source = $1 AND part = $2 AND holder = $3", kind.name, claim.part,
          Int64(bitPattern: claim.holder))
      }
    }.result
  }

  /// Takes the claim if it is free, if its time is over, or if the process `ended` had it.
  private func isTaken(_ claim: Claim, of kind: RecordKind, from ended: String?) async throws -> Bool {
    try await server.write { transaction in
      try await transaction.run(
        """
        INSERT INTO aggregator.sync_claim AS taken(source, part, holder, process, until)
        VALUES($1, $2, $3, $4, \(Self.soon))
        ON CONFLICT (source, part) DO UPDATE
          SET holder = excluded.holder, process = excluded.process, until = excluded.until
          WHERE taken.until < clock_timestamp() OR taken.process = $5
        """, kind.name, claim.part, Int64(bitPattern: claim.holder), ProcessName.own.text, ended
      ).changes == 1
    }
  }

  private static let soon = "clock_timestamp() + interval '1 minute'"
}

/// The name of a process, unique among all machines.
struct ProcessName: Sendable, Hashable {
  /// The machine since its last start, and the namespace of its processes: a container sees only its own.
  private let machine: String
  private let number: pid_t

  static let own = ProcessName(machine: ownMachine, number: getpid())

  private init(machine: String, number: pid_t) { (self.machine, self.number) = (machine, number) }

  init?(_ text: String) {
    guard let space = text.lastIndex(of: " "), let number = pid_t(text[text.index(after: space)...]) else { return nil }
    self.init(machine: String(text[..<space]), number: number)
  }

  var text: String { "\(machine) \(number)" }

  /// True when the process is known to have ended; nothing is known of processes on other machines.
  var hasEnded: Bool { machine == Self.ownMachine && kill(number, 0) != 0 && errno == ESRCH }

  private static let ownMachine: String = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    var target = [CChar](repeating: 0, count: 256)
    _ = readlink("/proc/self/ns/pid", &target, target.count - 1)
    let start = (try? SystemFiles().read("/proc/sys/kernel/random/boot_id", upTo: 64))?.bytes ?? []
    let texts = [name, target].map { String(decoding: $0.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    return texts.joined(separator: " ") + " " + String(decoding: start, as: UTF8.self).trimmingSpaces
  }()
}
