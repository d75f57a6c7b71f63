/*
 * Which process of a host leads: the claim file of docs/decisions/050. Time passes in refreshes.
 *
 * A process that runs makes one turn in each tick, in any order with the others, unless its disk
 * fails. Processes are stopped, killed, and started again; the pid of a dead one can be that of
 * another program. Nothing is assumed of when.
 *
 * Checked:
 *   - never do two processes trust the claim at once, stopped ones counted
 *   - after SOON ticks without trouble somebody leads, if any process runs
 *
 * Each of these makes a wrong program, which must be found:
 *   UNLOCKED, TRUSTS_FOR_EVER, TAKES_EARLY, RELEASE_STOMPS: two lead
 *   NEVER_TAKES_FROM_THE_LIVING: nobody leads
 */
#define N 3
#define NOBODY N
#define STALE 2 /* ticks; twice the refresh */
#define SOON (STALE + 3)

#ifdef TAKES_EARLY
#define ABANDONED (STALE - 2)
#else
#define ABANDONED STALE
#endif

byte owner = NOBODY;    /* what the file says */
bool recycled = false;  /* its pid is that of another program by now */

bool alive[N];
bool stopped[N];
bool leads[N];          /* by its own knowledge */
byte trust[N];          /* ticks for which it still trusts its last refresh */
bool changed[N];        /* the file is another one than it has seen last */
byte unchanged[N];      /* ticks for which it has seen this file */
bool due[N];
bool decided[N];        /* UNLOCKED: it has read, and is about to write */
byte calm = 0;          /* ticks without any trouble */
byte leaderless = 0;    /* ticks without anybody at work who leads */

#define trusts(p) (alive[p] && leads[p] && trust[p] > 0)
#define runs(p) (alive[p] && !stopped[p])
#define made_its_turn(p) (!(runs(p)) || !(due[p] || decided[p]))

byte q = 0; /* of loops; 0 between steps, so that it makes no states */
byte many = 0;

inline write(by, what) {
    owner = what;
    recycled = false;
    for (q : 0 .. N - 1) {
        changed[q] = changed[q] || q != by
    }
    q = 0
}

inline takes(one) {
    write(one, one);
    leads[one] = true;
    trust[one] = STALE;
    changed[one] = false
}

inline starts(anew) {
    alive[anew] = true;
    stopped[anew] = false;
    leads[anew] = false;
    trust[anew] = 0;
    changed[anew] = true;
    unchanged[anew] = 0;
    due[anew] = true;
    decided[anew] = false;
    calm = 0
}

inline one_leads() {
    many = 0;
    for (q : 0 .. N - 1) {
        if
        :: trusts(q) -> many++
        :: else
        fi
    }
    assert(many <= 1);
    many = 0;
    q = 0
}

/* Read, decide and write while the file is locked. */
inline turn(its) {
    due[its] = false;
    if
    :: leads[its] && owner == its && !changed[its] -> takes(its)
    :: leads[its] && (owner != its || changed[its]) -> leads[its] = false; trust[its] = 0
    :: !leads[its] && (owner == NOBODY || (owner != NOBODY && !alive[owner] && !recycled)) ->
#ifdef UNLOCKED
        decided[its] = true
#else
        takes(its)
#endif
    :: !leads[its] && owner != NOBODY && (alive[owner] || recycled) ->
        if
        :: changed[its] -> changed[its] = false; unchanged[its] = 0
#ifdef NEVER_TAKES_FROM_THE_LIVING
        :: !changed[its] -> skip
#else
        :: !changed[its] && unchanged[its] > ABANDONED -> takes(its)
        :: !changed[its] && unchanged[its] <= ABANDONED -> skip
#endif
        fi
    fi
}

inline passes() {
    many = 0;
    for (q : 0 .. N - 1) {
#ifndef TRUSTS_FOR_EVER
        if :: trust[q] > 0 -> trust[q]-- :: else fi;
#endif
        if :: unchanged[q] <= STALE -> unchanged[q]++ :: else fi;
        due[q] = runs(q);
        if :: runs(q) && trusts(q) -> many++ :: else fi
    }
    if
    :: many > 0 -> leaderless = 0
    :: many == 0 && leaderless <= SOON -> leaderless++
    :: else
    fi;
    many = 0;
    q = 0;
    if :: calm <= SOON -> calm++ :: else fi;
    assert(calm <= SOON || leaderless <= SOON || !(runs(0) || runs(1) || runs(2)))
}

proctype process(byte p) {
    do
    :: d_step { runs(p) && due[p] && !decided[p] -> turn(p); one_leads() }
    /* The disk fails, or somebody else has the file for too long. */
    :: d_step { runs(p) && due[p] && !decided[p] -> due[p] = false; calm = 0 }
#ifdef UNLOCKED
    :: d_step { runs(p) && decided[p] -> decided[p] = false; takes(p); one_leads() }
#endif
    :: d_step { runs(p) -> stopped[p] = true; calm = 0 }
    :: d_step { alive[p] && stopped[p] -> stopped[p] = false; due[p] = true; calm = 0 }
    /* Killed. */
    :: d_step {
        alive[p] ->
        alive[p] = false; stopped[p] = false; leads[p] = false; trust[p] = 0; due[p] = false;
        decided[p] = false; changed[p] = true; unchanged[p] = 0; calm = 0 }
    :: d_step { !alive[p] && owner == p && !recycled -> recycled = true }
    /* Started again: another pid, so whoever has read the old one knows that it is dead. */
    :: d_step { !alive[p] && owner != p -> starts(p) }
    :: d_step { !alive[p] && owner == p && !recycled -> starts(p); owner = NOBODY }
    /* Ends in order, or gives way: empties the file if it is its own. */
    :: d_step {
        runs(p) && leads[p] ->
        if
        :: owner == p -> write(p, NOBODY)
#ifdef RELEASE_STOMPS
        :: owner != p -> write(p, NOBODY)
#else
        :: owner != p -> skip
#endif
        fi;
        leads[p] = false; trust[p] = 0; changed[p] = true; calm = 0 }
    od
}

/* Whoever runs makes its turn before time goes on. */
proctype time() {
    do
    :: d_step { (made_its_turn(0) && made_its_turn(1) && made_its_turn(2)) -> passes() }
    od
}

init {
    atomic {
        for (q : 0 .. N - 1) {
            starts(q);
            run process(q)
        }
        q = 0;
        run time()
    }
}
