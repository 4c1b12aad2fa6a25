import { expect, test } from 'vitest';
import { openDatabase, streamChunks } from '../../../src/recording/duckdb.ts';

test('a result that fails after its first rows throws, and is not taken for a shorter one', async () => {
  const database = await openDatabase();
  try {
    const sql = "SELECT error(CASE WHEN range = 500000 THEN 'a bad row' END) FROM range(1000000)";
    let rows = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of streamChunks(database, sql, 'read the rows')) rows += chunk.rowCount;
    };
    await expect(read()).rejects.toThrow(
      expect.objectContaining({
        code: 'DATA_UNUSABLE',
        message: expect.stringContaining(
          'expected to be able to read the rows: Invalid Input Error: a bad row',
        ),
      }),
    );
    expect(rows).toBeGreaterThan(0);
  } finally {
    database.close();
  }
});
