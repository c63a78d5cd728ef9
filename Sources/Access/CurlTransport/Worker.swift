import AggregatorCore
import CCurl

/// Drives all transfers of one engine. It lives on the engine's thread, and nothing in it is shared.
final class Worker {
  private let multi: Multi
  private var underWay: [Easy: Transfer] = [:]
  /// Handles at rest; each keeps its buffers.
  private var idle: [Easy] = []
  private var outcomes: [(ticket: WireTicket, outcome: WireTicket.Outcome)] = []

  init(_ multi: Multi) { self.multi = multi }

  /// Starts the transfers of `tickets`, drops those whose caller has stopped waiting, moves the others as
  /// far as they go, and sleeps until there is more to do. Returns false when libcurl no longer works.
  func turn(_ tickets: [WireTicket]) -> Bool {
    ccurl_begin_work()
    for ticket in tickets where !ticket.isFinished { start(ticket) }
    for exchange in Array(underWay.values) where exchange.ticket.isFinished { retire(exchange) }
    let works = ccurl_multi_perform(multi.pointer) == CURLM_OK
    var code = CURLE_OK
    while let easy = ccurl_multi_next_ended(multi.pointer, &code) {
      guard let exchange = underWay[Easy(pointer: easy)] else { continue }
      outcomes.append((exchange.ticket, exchange.outcome(code)))
      retire(exchange)
    }
    let pause = endStalled()
    ccurl_end_work()
    // Outside of libcurl's work: waking the callers may take a while, and the process may want to exit.
    tell()
    return works && ccurl_multi_wait(multi.pointer, multi.canWake ? pause : min(pause, 20)) == CURLM_OK
  }

  func end(with error: any Error) {
    ccurl_begin_work()
    for exchange in Array(underWay.values) {
      outcomes.append((exchange.ticket, .failure(error)))
      retire(exchange)
    }
    for easy in idle { ccurl_easy_free(easy.pointer) }
    ccurl_multi_free(multi.pointer)
    ccurl_end_work()
    tell()
  }

  private func tell() {
    for (ticket, outcome) in outcomes { ticket.finish(outcome) }
    outcomes.removeAll(keepingCapacity: true)
  }

  private func start(_ ticket: WireTicket) {
    guard let easy = idle.popLast() ?? ccurl_easy_new().map(Easy.init) else {
      outcomes.append((ticket, .failure(Transfer.couldNotStart)))
      return
    }
    let exchange = Transfer(ticket, on: easy)
    underWay[easy] = exchange
    do throws(CurlFailure) {
      try exchange.prepare()
      guard ccurl_multi_add(multi.pointer, easy.pointer) == CURLM_OK else { throw CurlFailure(code: CURLE_FAILED_INIT) }
    } catch {
      outcomes.append((ticket, exchange.outcome(error.code)))
      retire(exchange)
    }
  }

  /// Takes `exchange` away from libcurl; after that its pointers may be freed.
  private func retire(_ exchange: Transfer) {
    underWay[exchange.easy] = nil
    ccurl_multi_remove(multi.pointer, exchange.easy.pointer)
    ccurl_easy_reset(exchange.easy.pointer)
    exchange.release()
    if idle.count < 8 { idle.append(exchange.easy) } else { ccurl_easy_free(exchange.easy.pointer) }
  }

  /// Ends the exchanges whose body has stalled for too long. Returns the number of milliseconds until the next check.
  ///
  /// libcurl's own limit is coarser: it counts whole seconds, averages over five, and counts the wait for the first byte.
  private func endStalled() -> Int32 {
    let now = ContinuousClock.now
    var patience = Duration.milliseconds(Int32.max)
    for exchange in Array(underWay.values) {
      guard let left = exchange.patienceLeft(at: now) else { continue }
      if left > .zero {
        patience = min(patience, left)
      } else {
        outcomes.append((exchange.ticket, .failure(exchange.request.stalled)))
        retire(exchange)
      }
    }
    return patience.milliseconds
  }
}

/// libcurl's handle for many transfers.
///
/// @unchecked Sendable: `wake` is the one call that libcurl allows from any thread at any time. `Engine` makes it only while it
/// holds the lock under which the worker withdraws the handle before freeing it. Only the worker's thread makes the other calls.
struct Multi: @unchecked Sendable {
  let pointer: UnsafeMutableRawPointer
  /// False when libcurl got no descriptors for being woken, because too many files are open. Then the worker looks for tickets in turn.
  let canWake: Bool

  init?() {
    guard let pointer = ccurl_multi_new() else { return nil }
    self.pointer = pointer
    canWake = ccurl_multi_wake(pointer) == CURLM_OK
    // By default libcurl would keep four for each transfer under way: with one at a time, a fifth host loses its connection.
    ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, 32)
  }

  func wake() { _ = ccurl_multi_wake(pointer) }
}

/// libcurl's handle for one transfer. The worker's thread makes, uses and frees it.
struct Easy: Hashable {
  let pointer: UnsafeMutableRawPointer

  func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) { try check(ccurl_set_long(pointer, option, value)) }
  func set(_ option: CURLoption, bytes: Int) throws(CurlFailure) {
    try check(ccurl_set_size(pointer, option, curl_off_t(bytes)))
  }
  func set(_ option: CURLoption, _ text: String) throws(CurlFailure) { try check(ccurl_set_text(pointer, option, text)) }

  func set(_ option: CURLoption, _ time: Duration) throws(CurlFailure) { try set(option, Int(time.milliseconds)) }

  /// Sets an option that an older library, or one built without it, may lack.
  func prefer(_ option: CURLoption, _ value: Int) { _ = ccurl_set_long(pointer, option, value) }

  func check(_ code: CURLcode) throws(CurlFailure) { if code != CURLE_OK { throw CurlFailure(code: code) } }

  func long(_ info: CURLINFO) -> Int { ccurl_long(pointer, info) }
  func size(_ info: CURLINFO) -> Int { Int(ccurl_size(pointer, info)) }
}

/// An error of libcurl about an option.
struct CurlFailure: Error {
  let code: CURLcode
}

extension Duration {
  /// The time in milliseconds, rounded up and at least 1: to libcurl zero means no limit.
  fileprivate var milliseconds: Int32 { Int32(min(max((self / .milliseconds(1)).rounded(.up), 1), Double(Int32.max))) }
}
