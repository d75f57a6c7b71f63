# An Ethernet switch in user space, between network namespaces of its own: no interface of this machine
# is touched. Each namespace has one TAP device, lan0, with the address 10.77.0.<n>. The kernel here may
# have no netem, so this switch loses packets: multicast ones, for each port its own share.
#
# Everything ends with this process: a namespace lives as long as a process is in it, or this one holds
# its descriptor, which is 100 + n.
import ctypes, fcntl, json, os, random, select, struct, subprocess, threading

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
KEPT = 400

ports = []       # descriptors of the TAP devices; the leader's is the first
loss = []        # share of multicast packets that each port loses
places = {}      # MAC address: the port behind which it is
captured = []    # the newest multicast packets, as frames
counts = {"multicast_packets": 0, "multicast_bytes": 0, "unicast_bytes_from": []}
chance = random.Random(5)
lock = threading.Lock()


def port(n):
    if LIBC.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    held = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    os.dup2(held, 100 + n)
    os.close(held)
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", b"lan0", IFF_TAP | IFF_NO_PI))
    for command in (
        "ip link set lo up",
        f"ip addr add 10.77.0.{n}/24 dev lan0",
        "ip link set lan0 up",
    ):
        subprocess.run(command.split(), check=True)
    ports.append(tap)
    loss.append(0.0)
    counts["unicast_bytes_from"].append(0)


def is_group(frame):
    return frame[0:3] == b"\x01\x00\x5e" and frame[12:14] == b"\x08\x00" and frame[23] == 17


def send(to, frame):
    try:
        os.write(ports[to], frame)
    except OSError:
        pass  # its queue is full: as on a switch


def forward(source, frame):
    places[frame[6:12]] = source
    group = is_group(frame)
    if group:
        captured.append(frame)
        del captured[:-KEPT]
        counts["multicast_packets"] += 1
        counts["multicast_bytes"] += len(frame)
    elif not frame[0] & 1:
        counts["unicast_bytes_from"][source] += len(frame)
        to = places.get(frame[0:6])
        if to is not None:
            send(to, frame)
            return
    for to in range(len(ports)):
        if to != source and not (group and chance.random() < loss[to]):
            send(to, frame)


def run():
    while True:
        for ready in select.select(ports, [], [])[0]:
            frame = os.read(ready, 2048)
            with lock:
                forward(ports.index(ready), frame)


def start():
    threading.Thread(target=run, daemon=True).start()


def lose(n, share):
    loss[n - 1] = share


def changed(frame, at, value):
    # Ethernet 14, IP 20, UDP 8: the payload begins at 42. A checksum of 0 is none.
    begin = 42 + at
    out = bytearray(frame)
    out[begin : begin + len(value)] = value
    out[40:42] = b"\x00\x00"
    return bytes(out)


def strangers(kind, count):
    # What somebody sends who says that he is the leader.
    with lock:
        old = list(captured)
        for i in range(count):
            frame = old[i % len(old)]
            size = len(frame) - 42
            if kind == "noise":
                frame = changed(frame, 0, chance.randbytes(size))
            elif kind == "epoch":
                frame = changed(frame, 4, chance.randbytes(8))
            elif kind == "forged":
                frame = changed(frame, 12, struct.pack(">Q", (1 << 39) + i))
            elif kind != "replayed":
                raise ValueError(kind)
            for to in range(1, len(ports)):
                send(to, frame)


def flood(n, count):
    # As fast as this can be: the same frame again and again.
    with lock:
        frame = changed(captured[-1], 0, b"none")
        for _ in range(count):
            send(n - 1, frame)


def tell(path):
    with lock:
        text = json.dumps(counts)
    with open(path, "w") as file:
        file.write(text)
