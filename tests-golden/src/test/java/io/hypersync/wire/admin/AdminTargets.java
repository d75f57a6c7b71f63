package io.hypersync.runtime.admin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.fuzz.FuzzTarget;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** Lines on an admin socket; in this package because their codec is package-private. */
public final class AdminTargets {
  private AdminTargets() {}

  /** Targets for both directions. */
  public static List<FuzzTarget> all() {
    return List.of(
        FuzzTarget.of("admin-request", UserError.class, List.of(), AdminTargets::request),
        FuzzTarget.of("admin-response", UserError.class, List.of(), AdminTargets::response));
  }

  private static boolean request(byte[] input) {
    byte[] once = AdminCodec.encodeRequest(AdminCodec.decodeRequest(input));
    assertArrayEquals(once, AdminCodec.encodeRequest(AdminCodec.decodeRequest(once)));
    return true;
  }

  private static boolean response(byte[] input) {
    JsonNode result = AdminCodec.decodeResponse(input);
    if (!result.isMissingNode()) {
      byte[] once = written(result);
      assertArrayEquals(once, written(AdminCodec.decodeResponse(once)));
    }
    return true;
  }

  private static byte[] written(JsonNode result) {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    try {
      AdminCodec.writeResult(result, line);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return line.toByteArray();
  }
}
