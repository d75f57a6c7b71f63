package io.hypersync.worker.identity;

import io.hypersync.model.log.LogEntry;
import io.hypersync.model.text.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** What counts as the name of an agent. */
public final class AgentName {
  /** No agent. */
  public static final String NONE = "";

  private AgentName() {}

  /**
   * The name in some bytes, without blanks around it; {@link #NONE} unless it is valid UTF-8 of 1
   * to 255 bytes, without control characters and others that are not seen on a screen.
   */
  public static String of(byte[] bytes) {
    String name;
    try {
      name = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString().strip();
    } catch (CharacterCodingException e) {
      return NONE;
    }
    boolean isTooLong = name.getBytes(StandardCharsets.UTF_8).length > LogEntry.MAX_AGENT_BYTES;
    return isTooLong || !Printable.isPlain(name) ? NONE : name;
  }
}
