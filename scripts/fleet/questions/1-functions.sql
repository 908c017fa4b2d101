-- SPDX-License-Identifier: MIT
-- Which functions take most, by the build of their program?
SELECT parse_filename(object) AS program, left(build_id, 12) AS build, function, sum(hits) AS samples,
       round(100 * sum(hits) / sum(sum(hits)) OVER (), 2) AS percent
FROM counts
GROUP BY program, build_id, function
ORDER BY samples DESC, program, build_id, function
LIMIT 15;
