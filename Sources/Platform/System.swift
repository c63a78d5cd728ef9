// Every file that needs the system imports it here.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Glibc
#endif
// The toolchain puts `timespec` here once another C module is imported.
#if canImport(SwiftOverlayShims)
  @_exported public import SwiftOverlayShims
#endif
