package io.hypersync.worker.fuse.jnr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FuseConfTest {
  @ParameterizedTest
  @CsvSource({
    "user_allow_other, true",
    "'  user_allow_other ', true",
    "user_allow_other # why, true",
    "#user_allow_other, false",
    "mount_max = 1000, false",
    "'', false"
  })
  void aLineOfItsOwnLetsOthersIn(String line, boolean lets) {
    assertEquals(lets, FuseConf.letsOthersIn(List.of("# comment", line)));
  }
}
