import { crc32, deflateRawSync } from "node:zlib";

/** A member of a test archive; the odd fields make archives that nobody should take. */
export interface TestMember {
  readonly name: string | Buffer;
  readonly data: Buffer;
  readonly stored?: boolean;
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
  /** Sizes and checksum stated, where they differ from the truth. */
  readonly size?: number;
  readonly crc?: number;
  /** Name in the local header, where it differs. */
  readonly localName?: string;
  /** Leave the local header's sizes zero and append a data descriptor, as streaming writers do. */
  readonly streamed?: boolean;
  /** Zip64: sizes and offset in the extra field. */
  readonly wide?: boolean;
  /** Point to the local header of member number n. */
  readonly sharing?: number;
}

/** Writes a zip archive by hand (APPNOTE.TXT), independent of the reader under test and of any library. */
export function zipOf(members: readonly TestMember[], comment = ""): Buffer {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const member of members) {
    const name = Buffer.from(member.name as Buffer);
    const localName = member.localName === undefined ? name : Buffer.from(member.localName);
    const body = member.stored ? member.data : deflateRawSync(member.data);
    const size = member.size ?? member.data.length;
    const crc = member.crc ?? crc32(member.data);
    const method = member.method ?? (member.stored ? 0 : 8);
    const flags = (member.flags ?? 0) | 0x800 | (member.streamed ? 8 : 0);
    offsets.push(offset);
    const at = member.sharing === undefined ? offset : offsets[member.sharing]!;
    if (member.sharing === undefined) {
      const local = Buffer.alloc(30);
      local.writeUInt32LE(0x04034b50, 0);
      local.writeUInt16LE(flags, 6);
      local.writeUInt16LE(method, 8);
      local.writeUInt32LE(member.streamed ? 0 : crc, 14);
      local.writeUInt32LE(member.streamed ? 0 : body.length, 18);
      local.writeUInt32LE(member.streamed ? 0 : size, 22);
      local.writeUInt16LE(localName.length, 26);
      const descriptor = Buffer.alloc(member.streamed ? 16 : 0);
      if (member.streamed) {
        descriptor.writeUInt32LE(0x08074b50, 0);
        descriptor.writeUInt32LE(crc, 4);
        descriptor.writeUInt32LE(body.length, 8);
        descriptor.writeUInt32LE(size, 12);
      }
      parts.push(local, localName, body, descriptor);
      offset += 30 + localName.length + body.length + descriptor.length;
    }
    const extra = Buffer.alloc(member.wide ? 28 : 0);
    if (member.wide) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
      extra.writeBigUInt64LE(BigInt(body.length), 12);
      extra.writeBigUInt64LE(BigInt(at), 20);
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE((3 << 8) | 45, 4);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(member.wide ? 0xffffffff : body.length, 20);
    entry.writeUInt32LE(member.wide ? 0xffffffff : size, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    entry.writeUInt16LE(member.mode ?? 0o100644, 40);
    entry.writeUInt32LE(member.wide ? 0xffffffff : at, 42);
    central.push(entry, name, extra);
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, directory, end, Buffer.from(comment)]);
}
