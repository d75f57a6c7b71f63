package io.hypersync.worker.fuse.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.protocol.Decoded;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class InitNegotiatorTest {
  private static final FuseSessionOptions OPTIONS = FuseSessionOptions.defaults();

  @ParameterizedTest
  @CsvSource({
    // the kernel's version, the outcome
    "7, 45, Agreed",
    "7, 31, Agreed",
    "7, 99, Agreed",
    "7, 30, Refused",
    "6, 99, Refused",
    "8, 0, AskAgain",
  })
  void versions(int major, int minor, String outcome) {
    assertEquals(outcome, negotiate(major, minor, Set.of()).getClass().getSimpleName());
  }

  @Test
  void theOlderMinorVersionCounts() {
    assertEquals(45, agreed(99, Set.of()).connection().minor());
    assertEquals(36, agreed(36, Set.of()).connection().minor());
  }

  @Test
  void whatBothWantIsAgreedOn() {
    InitNegotiator.Outcome.Agreed agreed =
        agreed(45, EnumSet.of(InitFlag.ASYNC_READ, InitFlag.WRITEBACK_CACHE));
    assertEquals(Set.of(InitFlag.ASYNC_READ), agreed.connection().flags());
    assertEquals(Set.of(InitFlag.ASYNC_READ), agreed.reply().flags());
  }

  @Test
  void theSecondWordOfFlagsIsConfirmedWhereItIsOffered() {
    assertEquals(
        Set.of(InitFlag.INIT_EXT), agreed(45, EnumSet.of(InitFlag.INIT_EXT)).reply().flags());
  }

  @Test
  void aMebibyteNeedsMaxPages() {
    InitNegotiator.Outcome.Agreed large = agreed(45, EnumSet.of(InitFlag.MAX_PAGES));
    assertEquals(1 << 20, large.reply().maxWrite());
    assertEquals(257, large.reply().maxPages(), "memory that is not aligned to pages has one more");
    assertEquals(128 << 10, agreed(45, Set.of()).connection().maxWriteBytes());
  }

  @Test
  void byDefaultNothingIsAgreedOnThatWouldHideWrites() {
    Set<InitFlag> flags = agreed(45, Set.of(InitFlag.values())).connection().flags();
    assertEquals(OPTIONS.flags(), flags);
    assertTrue(flags.contains(InitFlag.AUTO_INVAL_DATA), () -> "agreed: " + flags);
    assertFalse(flags.contains(InitFlag.ATOMIC_O_TRUNC), () -> "agreed: " + flags);
  }

  @ParameterizedTest
  @EnumSource(
      value = InitFlag.class,
      names = {
        "WRITEBACK_CACHE",
        "DIRECT_IO_ALLOW_MMAP",
        "NO_OPEN_SUPPORT",
        "SECURITY_CTX",
        "CREATE_SUPP_GROUP",
        "PASSTHROUGH",
        "OVER_IO_URING"
      })
  void someFlagsCannotEvenBeAskedFor(InitFlag flag) {
    assertThrows(IllegalArgumentException.class, () -> OPTIONS.withFlags(Set.of(flag)));
  }

  private static InitNegotiator.Outcome negotiate(int major, int minor, Set<InitFlag> offered) {
    return InitNegotiator.negotiate(
        new Decoded.Init(new RequestId(1), major, minor, 131072, InitFlag.maskOf(offered)),
        OPTIONS);
  }

  private static InitNegotiator.Outcome.Agreed agreed(int minor, Set<InitFlag> offered) {
    return assertInstanceOf(
        InitNegotiator.Outcome.Agreed.class, negotiate(7, minor, offered), "7." + minor);
  }
}
