package io.hypersync.leader.reservation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.fixtures.FakeAgentMail;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reservations that a server gives page by page, or all at once, or for ever. */
final class ReservationPagesTest {
  private static final String ALL =
      "resource://file_reservations/%2Fws%2Fteam?active_only=true&format=json";

  private final ReservationPages pages = new ReservationPages("/ws/team");

  @Test
  void pagesAreAskedForUntilOneIsNotFull() {
    assertEquals(ALL + "&limit=250&offset=0", pages.uri());
    assertTrue(pages.page(records(0, 250)));
    assertFalse(pages.isDone());
    assertEquals(ALL + "&limit=250&offset=250", pages.uri());
    assertTrue(pages.page(records(250, 7)));
    assertTrue(pages.isDone());
    assertEquals(257, pages.reservations().size());
    Reservation first = pages.reservations().getFirst();
    assertEquals("/ws/team", first.project(), "which the server does not repeat");
    assertEquals("Blue", first.holder().agent());
  }

  @Test
  void aFullLastPageIsFollowedByAnEmptyOne() {
    assertTrue(pages.page(records(0, 250)));
    assertTrue(pages.page(records(0, 0)));
    assertTrue(pages.isDone());
    assertEquals(250, pages.reservations().size());
  }

  @Test
  void aServerWithoutPagesGivesAllAtOnce() {
    assertTrue(pages.page(records(0, 1_000)));
    assertTrue(pages.isDone());
    assertEquals(1_000, pages.reservations().size());
  }

  @Test
  void aServerWithoutPagesThatHasJustAsManyAsAPage() {
    assertTrue(pages.page(records(0, 250)));
    assertTrue(pages.page(records(0, 250)), "the same again");
    assertTrue(pages.isDone());
    assertEquals(250, pages.reservations().size());
  }

  @Test
  void aServerThatRefusesPagesIsAskedWithout() {
    assertTrue(pages.refused());
    assertEquals(ALL, pages.uri());
    assertTrue(pages.page(records(0, 250)));
    assertTrue(pages.isDone());
  }

  @Test
  void aServerThatRefusesEverythingIsNotAskedForEver() {
    assertTrue(pages.refused());
    assertFalse(pages.refused());
  }

  @Test
  void aRefusalInTheMiddleIsAFailure() {
    assertTrue(pages.page(records(0, 250)));
    assertFalse(pages.refused());
  }

  @Test
  void aServerThatNeverEndsIsLeft() {
    int asked = 0;
    while (!pages.isDone()) {
      assertTrue(pages.page(records(asked * 250, 250)));
      asked++;
      assertTrue(asked <= 80, "at most so many pages");
    }
    assertEquals(ReservationPages.MOST, pages.reservations().size());
  }

  @Test
  void recordsThatMakeNoSenseAreCounted() throws IOException {
    JsonNode page =
        json(
            "[1, {}, {'id':1,'agent':'Blue','path_pattern':'tool://x','expires_ts':1},"
                + "{'id':2,'agent':'Blue','path_pattern':'a','expires_ts':'soon'},"
                + "{'id':3,'agent':'Blue','path_pattern':'a','expires_ts':1,'released_ts':5},"
                + "{'id':4,'agent':'Blue','path_pattern':'/ws/team/a/b','expires_ts':1}]");
    assertTrue(pages.page(page));
    assertEquals(3, pages.damaged());
    assertEquals(1, pages.unusable());
    assertEquals(1, pages.reservations().size());
    assertEquals(List.of("a", "b"), pages.reservations().getFirst().pattern().written());
  }

  @Test
  void whatIsNoList() throws IOException {
    assertFalse(pages.page(json("{'result':1}")));
    assertFalse(pages.page(json("'text'")));
  }

  private static ArrayNode records(int from, int count) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (int i = from; i < from + count; i++) {
      all.add(FakeAgentMail.reservation(i, "Blue", "src/f" + i, true));
    }
    return all;
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }
}
