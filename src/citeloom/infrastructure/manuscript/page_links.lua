-- Links each citation of one work and its pages to the page of the work's file. Made by `citeloom
-- links`; it goes before --citeproc:
--   pandoc thesis.md --lua-filter links.lua --citeproc -o thesis.html

local links = {
-- LINKS
}

local function words(inlines)
  local text = pandoc.utils.stringify(inlines):gsub("\194\160", " "):gsub("%s+", " ")
  return (text:gsub("^[ ,]+", ""):gsub(" $", ""))
end

function Cite(cite)
  if #cite.citations ~= 1 then
    return nil
  end
  local citation = cite.citations[1]
  local target = links[citation.id .. " " .. words(citation.suffix)]
  return target and pandoc.Link({ cite }, target)
end
