package io.hypersync.coordination.lease;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import io.hypersync.coordination.lease.LeaseContent.Free;
import io.hypersync.coordination.lease.LeaseContent.Held;
import io.hypersync.coordination.lease.LeaseContent.Malformed;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * The value of the record of a lease: no bytes if nobody holds it, else JSON.
 *
 * <pre>
 * {"lease":1,"holder":"host-a","run":"9f2c66d81a0b4e55","acquired_at_ms":1795843200000}
 * </pre>
 */
final class LeaseText {
  private static final int VERSION = 1;
  private static final ObjectReader READER =
      new ObjectMapper()
          .readerFor(JsonNode.class)
          .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private LeaseText() {}

  /** Reads a value, which may be anything. */
  static LeaseContent parse(byte[] value) {
    if (value.length == 0) {
      return new Free();
    }
    try {
      JsonNode json = READER.readTree(new String(value, StandardCharsets.UTF_8));
      String holder = json.path("holder").asText();
      String run = json.path("run").asText();
      JsonNode acquired = json.path("acquired_at_ms");
      return json.path("lease").asInt() == VERSION
              && LeaseHolder.isValid(holder)
              && run.length() == Long.BYTES * 2
              && acquired.canConvertToLong()
          ? new Held(holder, HexFormat.fromHexDigitsToLong(run), acquired.asLong())
          : new Malformed();
    } catch (JsonProcessingException | IllegalArgumentException e) {
      return new Malformed();
    }
  }

  /** The value that {@link #parse} reads so. */
  static byte[] of(Held held) {
    return new ObjectMapper()
        .createObjectNode()
        .put("lease", VERSION)
        .put("holder", held.holder())
        .put("run", HexFormat.of().toHexDigits(held.run()))
        .put("acquired_at_ms", held.acquiredAtMs())
        .toString()
        .getBytes(StandardCharsets.UTF_8);
  }
}
