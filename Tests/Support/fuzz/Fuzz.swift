import CScheduler
import FuzzTargets
import Platform

// The program that libFuzzer drives: AGGREGATOR_FUZZ names the target. Scripts/fuzz builds it with -sanitize=fuzzer.

private let target: FuzzTarget = {
  let name = getenv("AGGREGATOR_FUZZ").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    print("set AGGREGATOR_FUZZ to one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    exit(64)
  }
  cscheduler_take_jobs { unsafe.append($0) }
  return target
}()

/// The jobs of the tasks of a target, which run on the one thread of the fuzzer.
private nonisolated(unsafe) var unsafe: [UnsafeMutableRawPointer] = []

@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let target = target
  Task.detached {
    do { try await target.run(bytes) } catch { fatalError("\(target): \(error)") }
  }
  while let job = unsafe.popLast() { cscheduler_run(job) }
  return 0
}
