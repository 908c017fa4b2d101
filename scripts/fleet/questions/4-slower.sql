-- SPDX-License-Identifier: MIT
-- Which functions take a larger share of their program than in the version before? Versions are the build ids of
-- programs of one name, in the order in which they were first recorded. At least 100 samples of each version, and 2
-- points more; code without a name ([...]) is left out.
WITH hits AS (
  SELECT parse_filename(object) AS program, build_id, function, sum(hits) AS samples, min(first_recorded) AS since
  FROM counts WHERE build_id IS NOT NULL
  GROUP BY ALL),
versions AS (
  SELECT program, build_id, sum(samples) AS samples,
         row_number() OVER (PARTITION BY program ORDER BY min(since), build_id) AS version
  FROM hits GROUP BY program, build_id HAVING sum(samples) >= 100),
shares AS (
  SELECT new.program, now.function, left(old.build_id, 12) AS old_build, left(new.build_id, 12) AS new_build,
         100 * coalesce(before.samples, 0) / old.samples AS old_percent, 100 * now.samples / new.samples AS new_percent
  FROM versions AS new
  JOIN versions AS old ON old.program = new.program AND old.version = new.version - 1
  JOIN hits AS now ON now.program = new.program AND now.build_id = new.build_id
  LEFT JOIN hits AS before ON before.program = old.program AND before.build_id = old.build_id
                           AND before.function IS NOT DISTINCT FROM now.function)
SELECT program, function, old_build, new_build, round(old_percent, 2) AS old_percent,
       round(new_percent, 2) AS new_percent, round(new_percent - old_percent, 2) AS points
FROM shares
WHERE new_percent - old_percent >= 2 AND function NOT LIKE '[%'
ORDER BY points DESC, program, function, new_build;
