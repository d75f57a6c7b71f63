package io.hypersync.chunkstore.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.errno.Errno;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.RocksDBException;

class RocksFailuresTest {
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "While appending to file: 000011.log: No space left on device, ENOSPC",
    "While appending to file: 000011.log: Disk quota exceeded, ENOSPC",
    "While appending to file: 000011.log: Input/output error, EIO",
    "Corruption: block checksum mismatch, EIO",
  })
  void messagesBecomeErrnos(String message, Errno errno) {
    assertEquals(errno, RocksFailures.translate("put", new RocksDBException(message)).errno());
  }
}
