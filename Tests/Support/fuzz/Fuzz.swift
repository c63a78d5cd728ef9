import CScheduler
import FuzzTargets
import Platform
import Synchronization

// The program that libFuzzer drives: AGGREGATOR_FUZZ names the target. Scripts/fuzz builds it with -sanitize=fuzzer.

private let target: FuzzTarget = {
  let name = getenv("AGGREGATOR_FUZZ").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    print("set AGGREGATOR_FUZZ to one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    exit(64)
  }
  cscheduler_take_jobs { job in jobs.withLock { $0.append(job) } }
  return target
}()

/// The jobs of the tasks of a target. They run on the thread that libFuzzer calls, since it sees no coverage of others.
private let jobs = Mutex<[UInt]>([])

private final class End: Sendable {
  let isReached = Atomic(false)
}

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let (target, bytes, end) = (target, Array(UnsafeBufferPointer(start: start, count: count)), End())
  Task.detached {
    // libFuzzer learns of a broken promise by the end of the process alone.
    do { try await target.run(bytes) } catch { fatalError("\(target): \(error)") }
    end.isReached.store(true, ordering: .releasing)
  }
  while !end.isReached.load(ordering: .acquiring) {
    if let job = jobs.withLock({ $0.popLast() }) {
      cscheduler_run(job)
    } else {
      // A thread of the target is at work, as that which reads a program.
      usleep(20)
    }
  }
  return 0
}
