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
  cscheduler_take_jobs { job in jobs.withLock { $0.append(Job(pointer: job)) } }
  return target
}()

/// A job of a task, which may come from any thread.
private struct Job: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
}

/// The jobs of the tasks of a target, which run on the one thread of the fuzzer.
private let jobs = Mutex<[Job]>([])

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  run(target, bytes)
  return 0
}

private final class End: Sendable {
  let isReached = Atomic(false)
}

private func run(_ target: FuzzTarget, _ bytes: [UInt8]) {
  let end = End()
  Task.detached {
    do { try await target.run(bytes) } catch { fatalError("\(target): \(error)") }
    end.isReached.store(true, ordering: .releasing)
  }
  while true {
    if let job = jobs.withLock({ $0.popLast() }) {
      cscheduler_run(job.pointer)
    } else if end.isReached.load(ordering: .acquiring) {
      return
    } else {
      // A thread of the target is at work.
      usleep(20)
    }
  }
}
