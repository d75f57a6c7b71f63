package io.hypersync.leader.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.leader.dataplane.DataPlaneSettings.Mode;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.transport.PathFigures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams where nothing is lost, datagrams where something is. */
class DeliveryChoiceTest {
  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;

  @ParameterizedTest(name = "{0} of 10,000 packets lost, round trip {1} us: {2}")
  @CsvSource({
    "0,   100,    STREAM",
    "50,  100,    STREAM",
    "100, 100,    DATAGRAMS",
    "20,  5000,   STREAM",
    "30,  5000,   DATAGRAMS",
    "5,   50000,  STREAM",
    "10,  50000,  DATAGRAMS",
  })
  void byLossAndRoundTrip(long lostOfTenThousand, long rttUs, ChunkDelivery expected) {
    DeliveryChoice choice = new DeliveryChoice(Mode.AUTO, true, 0);
    assertEquals(ChunkDelivery.STREAM, choice.chosen(), "before anything is known");
    choice.measured(loss(lostOfTenThousand), rttUs * 1_000, SECOND);
    assertEquals(expected, choice.chosen(), choice::reason);
  }

  /** What is on the edge does not change with each measurement. */
  @Test
  void itGoesBackLaterThanItCame() {
    DeliveryChoice choice = new DeliveryChoice(Mode.AUTO, true, 0);
    choice.measured(loss(100), 5 * MS, 1 * SECOND);
    assertEquals(ChunkDelivery.DATAGRAMS, choice.chosen());
    choice.measured(loss(20), 5 * MS, 60 * SECOND);
    assertEquals(ChunkDelivery.DATAGRAMS, choice.chosen(), "less, and more than a quarter");
    choice.measured(loss(0), 5 * MS, 65 * SECOND);
    assertEquals(ChunkDelivery.DATAGRAMS, choice.chosen(), "for 5 s only");
    choice.measured(loss(0), 5 * MS, 71 * SECOND);
    assertEquals(ChunkDelivery.STREAM, choice.chosen(), choice::reason);
    assertEquals("0.00 % of packets are lost, round trip 5.0 ms", choice.reason());
  }

  @Test
  void whatIsSetIsDone() {
    DeliveryChoice streams = new DeliveryChoice(Mode.STREAMS, true, 0);
    streams.measured(loss(5_000), SECOND, SECOND);
    assertEquals(ChunkDelivery.STREAM, streams.chosen());
    DeliveryChoice datagrams = new DeliveryChoice(Mode.DATAGRAMS, true, 0);
    datagrams.measured(loss(0), MS, SECOND);
    assertEquals(ChunkDelivery.DATAGRAMS, datagrams.chosen());
    DeliveryChoice old = new DeliveryChoice(Mode.DATAGRAMS, false, 0);
    assertEquals(ChunkDelivery.STREAM, old.chosen());
    assertEquals("the worker takes no datagrams", old.reason());
  }

  /** A rate of its own, as if all packets before had been like these. */
  private static PacketLoss loss(long lostOfTenThousand) {
    PacketLoss loss = new PacketLoss();
    loss.measured(new PathFigures(MS, 1, 10_000, lostOfTenThousand));
    return loss;
  }
}
