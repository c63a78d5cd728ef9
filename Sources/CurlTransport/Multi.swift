import CCurl

/// libcurl's handle for many transfers.
///
/// @unchecked Sendable: `wake` is the one call that libcurl allows from any thread at any time, and `Engine` makes it
/// only while it holds the lock under which the worker withdraws the handle before freeing it. All else is called by
/// the worker's thread alone.
struct Multi: @unchecked Sendable {
  private let pointer: UnsafeMutableRawPointer

  init?() {
    guard let pointer = ccurl_multi_new() else { return nil }
    self.pointer = pointer
    // By default it would keep four for each transfer under way: with one at a time, a fifth host loses its connection.
    ccurl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, 32)
  }

  func wake() { ccurl_multi_wake(pointer) }
  func free() { ccurl_multi_free(pointer) }

  func add(_ easy: Easy) -> Bool { ccurl_multi_add(pointer, easy.pointer) == CURLM_OK }
  func remove(_ easy: Easy) { ccurl_multi_remove(pointer, easy.pointer) }
  func perform() -> Bool { ccurl_multi_perform(pointer) == CURLM_OK }
  func wait(milliseconds: Int32) -> Bool { ccurl_multi_wait(pointer, milliseconds) == CURLM_OK }

  func nextEnded() -> (easy: Easy, code: CURLcode)? {
    var code = CURLE_OK
    return ccurl_multi_next_ended(pointer, &code).map { (Easy(pointer: $0), code) }
  }
}

/// libcurl's handle for one transfer. It is made, used and freed by the worker's thread.
struct Easy: Hashable {
  let pointer: UnsafeMutableRawPointer

  func set(_ option: CURLoption, _ value: Int) throws(CurlFailure) { try check(ccurl_set_long(pointer, option, value)) }
  func set(_ option: CURLoption, bytes: Int) throws(CurlFailure) { try check(ccurl_set_size(pointer, option, curl_off_t(bytes))) }
  func set(_ option: CURLoption, _ text: String) throws(CurlFailure) { try check(ccurl_set_text(pointer, option, text)) }

  /// Milliseconds, at least one: to libcurl zero means forever.
  func set(_ option: CURLoption, _ time: Duration) throws(CurlFailure) {
    try set(option, Int(min(max(time.roundedUpToMilliseconds, 1), Int64(Int32.max))))
  }

  /// For options that an older library, or one built without them, may lack.
  func prefer(_ option: CURLoption, _ value: Int) { _ = ccurl_set_long(pointer, option, value) }

  func check(_ code: CURLcode) throws(CurlFailure) { if code != CURLE_OK { throw CurlFailure(code: code) } }

  func long(_ info: CURLINFO) -> Int { ccurl_long(pointer, info) }
  func size(_ info: CURLINFO) -> Int { Int(ccurl_size(pointer, info)) }
}

/// What libcurl said about an option.
struct CurlFailure: Error {
  let code: CURLcode
}

extension Duration {
  var roundedUpToMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { return seconds > 0 ? .max : .min }
    return whole.addingReportingOverflow((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000).partialValue
  }
}
